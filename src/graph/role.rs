//! Roles: what one end of a relation is to the other, for example its treatment.
//!
//! `Omeprazole —treats→ Reflux` and `Reflux —need_medication→ Omeprazole` state one fact: Omeprazole plays
//! the role *treatment* for Reflux. A relation therefore has a [`Role`] and a [`Player`], the end that
//! plays it; a graph that states every fact in both directions is read without counting anything twice.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::text::fold;

/// What the player of a relation is to the entity at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A symptom or sign of the condition.
    Symptom,
    /// A warning sign that calls for urgent action.
    RedFlag,
    /// A cause of the condition.
    Cause,
    /// Something that makes the condition likelier.
    RiskFactor,
    /// A test that helps to find the condition.
    Test,
    /// A treatment of the condition or symptom.
    Treatment,
    /// A treatment that guidelines put first.
    FirstLine,
    /// Something that prevents the condition.
    Prevention,
    /// A state in which the drug must not be used.
    Contraindication,
    /// An unwanted effect of the drug.
    AdverseEffect,
    /// A drug whose combination with the other needs care.
    Interaction,
    /// A test that monitors a treatment or condition.
    Monitoring,
    /// A condition that may follow from the condition.
    Complication,
    /// A condition that looks alike.
    Differential,
    /// The broader concept, of which the other is a kind.
    Broader,
    /// Related in a way that Catena does not interpret.
    Related,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 16] = [
        Self::Symptom,
        Self::RedFlag,
        Self::Cause,
        Self::RiskFactor,
        Self::Test,
        Self::Treatment,
        Self::FirstLine,
        Self::Prevention,
        Self::Contraindication,
        Self::AdverseEffect,
        Self::Interaction,
        Self::Monitoring,
        Self::Complication,
        Self::Differential,
        Self::Broader,
        Self::Related,
    ];

    /// The role's name in files and on screen.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Symptom => "symptom",
            Self::RedFlag => "red_flag",
            Self::Cause => "cause",
            Self::RiskFactor => "risk_factor",
            Self::Test => "test",
            Self::Treatment => "treatment",
            Self::FirstLine => "first_line",
            Self::Prevention => "prevention",
            Self::Contraindication => "contraindication",
            Self::AdverseEffect => "adverse_effect",
            Self::Interaction => "interaction",
            Self::Monitoring => "monitoring",
            Self::Complication => "complication",
            Self::Differential => "differential",
            Self::Broader => "broader",
            Self::Related => "related",
        }
    }

    /// Whether the role is that of a treatment, first-line or not.
    pub fn is_treatment(self) -> bool {
        matches!(self, Self::Treatment | Self::FirstLine)
    }

    /// Whether a statement about a class usually also holds for its members: it does for what makes a drug dangerous, not for its use.
    pub fn inherits(self) -> bool {
        matches!(self, Self::Interaction | Self::Contraindication | Self::AdverseEffect)
    }

    /// Whether the role is that of a presenting feature.
    pub fn is_feature(self) -> bool {
        matches!(self, Self::Symptom | Self::RedFlag)
    }
}

/// Which end of a triple plays the relation's role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Player {
    /// The head: `Omeprazole —treats→ Reflux`.
    Head,
    /// The tail: `Reflux —has_symptom→ Heartburn`.
    Tail,
}

/// A relation type of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredRelation")]
pub struct Relation {
    /// The name as the graph's file writes it, sanitised.
    pub name: String,
    /// The text shown between head and tail.
    pub display: String,
    /// The text shown when read from tail to head; empty when the graph gives none.
    pub inverse: String,
    /// What the player is to the other end.
    pub role: Role,
    /// The end that plays the role.
    pub player: Player,
    /// Whether the role was guessed from the name rather than stated.
    pub guessed: bool,
    /// Whether a statement about a class also holds for its members, at both ends.
    pub inherits: bool,
}

/// A relation type as files hold it. Files of older versions do not state whether it inherits.
#[derive(Deserialize)]
struct StoredRelation {
    name: String,
    display: String,
    inverse: String,
    role: Role,
    player: Player,
    guessed: bool,
    #[serde(default)]
    inherits: Option<bool>,
}

impl From<StoredRelation> for Relation {
    fn from(stored: StoredRelation) -> Self {
        let StoredRelation { name, display, inverse, role, player, guessed, inherits } = stored;
        Self { name, display, inverse, role, player, guessed, inherits: inherits.unwrap_or_else(|| role.inherits()) }
    }
}

/// Rules that give the relations of a foreign graph their roles (`assets/roles.toml`).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleRules {
    #[serde(default)]
    rule: Vec<RoleRule>,
    /// The rules by name; built when the first name is looked up.
    #[serde(skip)]
    index: OnceLock<RuleIndex>,
}

/// The rules, indexed for look-up: a graph may have thousands of relations with a rule for each.
#[derive(Debug, Clone)]
struct RuleIndex {
    /// Exact names, each with the first rule that has it.
    exact: HashMap<String, usize>,
    /// Folded parts of names, each with its rule, in the order of rules.
    parts: Vec<(String, usize)>,
}

impl RuleIndex {
    fn of(rules: &[RoleRule]) -> Self {
        let mut exact = HashMap::new();
        for (number, rule) in rules.iter().enumerate() {
            for name in &rule.exact {
                exact.entry(name.clone()).or_insert(number);
            }
        }
        let of_rule = |(number, rule): (usize, &RoleRule)| -> Vec<(String, usize)> {
            rule.contains.iter().map(|part| (search_form(part), number)).collect()
        };
        Self { exact, parts: rules.iter().enumerate().flat_map(of_rule).collect() }
    }

    /// The first rule that matches a name.
    fn first_match(&self, name: &str) -> Option<usize> {
        let exact = self.exact.get(name).copied();
        // The blank before the name is the beginning of its first word.
        let folded = format!(" {}", fold(&name.replace('_', " ")));
        let mut before = self.parts.iter().take_while(|(_, rule)| exact.is_none_or(|exact| *rule < exact));
        before.find(|(part, _)| folded.contains(part.as_str())).map(|(_, rule)| *rule).or(exact)
    }
}

/// The form in which a part is searched for. Latin parts match at the beginning of a word ("treat" matches "treats", not "retreat").
fn search_form(part: &str) -> String {
    let part = fold(part);
    if part.is_ascii() { format!(" {part}") } else { part }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleRule {
    /// Exact relation names, case kept (for terse schemes such as Hetionet's `CtD`).
    #[serde(default)]
    exact: Vec<String>,
    /// Parts of the folded name, any of which makes the rule apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contains: Vec<String>,
    role: Role,
    player: Player,
    /// Whether the role is a guess; guesses are marked on screen.
    #[serde(default)]
    guessed: bool,
    /// Whether statements about a class hold for its members; by default this follows from the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inherits: Option<bool>,
}

const BUILT_IN_RULES: &str = include_str!("../../assets/roles.toml");

impl RoleRules {
    /// The built-in rules.
    ///
    /// # Errors
    /// Never with an unchanged `assets/roles.toml`; a test parses it.
    pub fn built_in() -> Result<Self, toml::de::Error> {
        let mut rules = Self::parse(BUILT_IN_RULES)?;
        for rule in &mut rules.rule {
            rule.guessed = true;
        }
        Ok(rules)
    }

    /// Rules that give these relations, by their exact names, the roles that they have.
    pub fn of(relations: &[Relation]) -> Self {
        let rule = |relation: &Relation| RoleRule {
            exact: vec![relation.name.clone()],
            contains: Vec::new(),
            role: relation.role,
            player: relation.player,
            guessed: relation.guessed,
            inherits: Some(relation.inherits).filter(|inherits| *inherits != relation.role.inherits()),
        };
        Self { rule: relations.iter().map(rule).collect(), index: OnceLock::new() }
    }

    /// The rules in the form that [`Self::parse`] reads.
    ///
    /// # Errors
    /// Never with rules that were parsed or made from relations.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// Reads rules in the form of `assets/roles.toml`; the first rule that fits a name wins.
    ///
    /// # Errors
    /// If the text is not TOML of that form; the error names line and field.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// Adds rules before these, so that the added ones win.
    #[must_use]
    pub fn preceded_by(mut self, mut first: Self) -> Self {
        first.rule.append(&mut self.rule);
        first.index = OnceLock::new();
        first
    }

    /// The relation of this name with the role that the rules give it; [`Role::Related`] when none fits.
    pub fn guess(&self, name: &str) -> Relation {
        let hit = self.index.get_or_init(|| RuleIndex::of(&self.rule)).first_match(name).and_then(|number| self.rule.get(number));
        let (role, player, guessed) = hit.map_or((Role::Related, Player::Tail, true), |rule| (rule.role, rule.player, rule.guessed));
        let inherits = hit.and_then(|rule| rule.inherits).unwrap_or_else(|| role.inherits());
        Relation { name: name.to_owned(), display: name.replace('_', " "), inverse: String::new(), role, player, guessed, inherits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_fits_wins() {
        let rules = |text: &str| RoleRules::parse(text).expect("rules");
        let both = rules(
            r#"
            rule = [
                { exact = ["a test", "other"], role = "cause", player = "head" },
                { contains = ["test", "检查"], role = "test", player = "tail" },
                { exact = ["our test", "a test", "rest"], role = "symptom", player = "tail" },
            ]"#,
        );
        let role = |name: &str| both.guess(name).role;
        assert_eq!([role("a test"), role("our test"), role("rest")], [Role::Cause, Role::Test, Role::Symptom]);
        assert_eq!([role("retest"), role("tests_of"), role("要检查的")], [Role::Related, Role::Test, Role::Test]);
        // Rules that are added before others win, even for a name that was looked up already.
        let first = rules(r#"rule = [{ exact = ["tests_of"], role = "differential", player = "tail" }]"#);
        assert_eq!(first.guess("tests_of").role, Role::Differential);
        let joined = both.clone().preceded_by(first);
        assert_eq!([joined.guess("tests_of").role, joined.guess("a test").role], [Role::Differential, Role::Cause]);
    }

    #[test]
    fn names_of_foreign_relations_are_understood() {
        let rules = RoleRules::built_in().expect("the built-in rules parse");
        let cases = [
            ("need_medication", Role::Treatment, Player::Tail),
            ("possible_cure_disease", Role::Treatment, Player::Head),
            ("need_medical_test", Role::Test, Player::Tail),
            ("can_check_disease", Role::Test, Player::Head),
            ("has_symptom", Role::Symptom, Player::Tail),
            ("possible_disease", Role::Symptom, Player::Head),
            ("treats", Role::Treatment, Player::Head),
            ("治疗", Role::Treatment, Player::Head),
            ("推荐药物", Role::Treatment, Player::Tail),
            ("症状", Role::Symptom, Player::Tail),
            ("检查项目", Role::Test, Player::Tail),
            ("contraindicated_in", Role::Contraindication, Player::Tail),
            ("may_cause", Role::Complication, Player::Tail),
            ("side effect", Role::AdverseEffect, Player::Tail),
            ("CtD", Role::Treatment, Player::Head),
            ("DpS", Role::Symptom, Player::Tail),
            ("is_a", Role::Broader, Player::Tail),
            ("indication", Role::Treatment, Player::Head),
            ("contraindication", Role::Contraindication, Player::Tail),
            ("drug_effect", Role::AdverseEffect, Player::Tail),
            ("drug_drug", Role::Interaction, Player::Tail),
            ("disease_phenotype_positive", Role::Symptom, Player::Tail),
            ("disease_phenotype_negative", Role::Related, Player::Tail),
            ("has_complication", Role::Complication, Player::Tail),
            ("need_test", Role::Test, Player::Tail),
            ("cure_way", Role::Treatment, Player::Tail),
            ("recommended_drug", Role::Treatment, Player::Tail),
            ("common_drug", Role::Treatment, Player::Tail),
            ("department", Role::Related, Player::Tail),
            ("good_food", Role::Related, Player::Tail),
            ("bad_food", Role::Related, Player::Tail),
            ("suggested_dish", Role::Related, Player::Tail),
            ("produced_by", Role::Related, Player::Tail),
            ("caused_by", Role::Cause, Player::Tail),
            ("retreats_from", Role::Related, Player::Tail),
        ];
        for (name, role, player) in cases {
            let relation = rules.guess(name);
            assert_eq!((relation.role, relation.player), (role, player), "{name}");
            assert!(relation.guessed);
        }
    }

    #[test]
    fn a_users_rules_come_first() {
        let own = RoleRules::parse("[[rule]]\nexact = [\"treats\"]\nrole = \"related\"\nplayer = \"tail\"\n").expect("valid rules");
        let rules = RoleRules::built_in().expect("the built-in rules parse").preceded_by(own);
        assert_eq!(rules.guess("treats").role, Role::Related);
        assert!(!rules.guess("treats").guessed, "what the user states is no guess");
        assert_eq!(rules.guess("has_symptom").role, Role::Symptom);
    }

    #[test]
    fn rules_of_relations_survive_being_written_and_read() {
        let rules = RoleRules::built_in().expect("the built-in rules parse");
        let odd = Relation { guessed: false, role: Role::RedFlag, inherits: true, ..rules.guess("\"quoted\" \\ 症状 [x]") };
        let relations = [rules.guess("treats"), odd];
        let read = RoleRules::parse(&RoleRules::of(&relations).to_toml().expect("TOML")).expect("its own form");
        for relation in &relations {
            assert_eq!(&read.guess(&relation.name), relation);
        }
    }
}
