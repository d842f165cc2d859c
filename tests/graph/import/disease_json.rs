//! The Chinese disease knowledge base's form.

use catena::graph::import::GraphFormat;
use catena::graph::{Kind, Role};

use super::graphs::{entities, graph_of_bytes, left_out, rejected, set, triples};

const LINE: &str = r#"{ "_id" : { "$oid" : "5bb578b6831b973a137e3ee6" }, "name" : "肺泡蛋白质沉积症", "desc" : "简称PAP，\n是一种罕见疾病。", "category" : [ "疾病百科", "内科" ], "prevent" : "注意避免感染", "cause" : "病因未明", "symptom" : [ "紫绀", "胸痛" ], "yibao_status" : "否", "get_prob" : "0.00002%", "easy_get" : "", "get_way" : "无传染性", "acompany" : [ "多重肺部感染" ], "cure_department" : [ "内科", "呼吸内科" ], "cure_way" : [ "支气管肺泡灌洗" ], "cure_lasttime" : "约3个月", "cured_prob" : "约40%", "common_drug" : [ "注射用盐酸甲砜霉素甘氨酸酯" ], "cost_money" : "5000元", "check" : [ "胸部CT检查" ], "do_eat" : [ "鸡蛋" ], "not_eat" : [ "啤酒" ], "recommand_eat" : [ "鲜蘑豆腐汤" ], "recommand_drug" : [ "百合固金丸" ], "drug_detail" : [ "惠松堂百合固金丸(百合固金丸)", "没有括号" ], "传播方式" : [ "飞沫" ], "别名" : [ "PAP" ] }"#;

#[test]
fn lists_become_relations_and_texts_are_left_out() {
    let (graph, report) = graph_of_bytes(GraphFormat::DiseaseJson, LINE.as_bytes());
    let d = "肺泡蛋白质沉积症";
    let expected = [
        format!("{d} -has_symptom-> 紫绀"),
        format!("{d} -has_symptom-> 胸痛"),
        format!("{d} -has_complication-> 多重肺部感染"),
        format!("{d} -department-> 内科"),
        format!("{d} -department-> 呼吸内科"),
        format!("{d} -category-> 疾病百科"),
        format!("{d} -category-> 内科"),
        format!("{d} -cure_way-> 支气管肺泡灌洗"),
        format!("{d} -common_drug-> 注射用盐酸甲砜霉素甘氨酸酯"),
        format!("{d} -recommended_drug-> 百合固金丸"),
        format!("{d} -need_test-> 胸部CT检查"),
        format!("{d} -good_food-> 鸡蛋"),
        format!("{d} -bad_food-> 啤酒"),
        format!("{d} -suggested_dish-> 鲜蘑豆腐汤"),
        format!("{d} -传播方式-> 飞沫"),
        "百合固金丸 -produced_by-> 惠松堂百合固金丸".to_owned(),
    ];
    assert_eq!(triples(&graph), set(&expected.each_ref().map(String::as_str)));
    assert!(entities(&graph).contains(&format!("{d}|disease|PAP|简称PAP， 是一种罕见疾病。")));
    assert!(entities(&graph).contains(&"内科|category||".to_owned()) && entities(&graph).contains(&"内科|department||".to_owned()));
    for (name, kind) in [("紫绀", "symptom"), ("多重肺部感染", "disease"), ("胸部CT检查", "test"), ("鸡蛋", "food"), ("百合固金丸", "drug")]
    {
        assert_eq!(graph.kind(graph.find(name).expect("there")).as_str(), kind, "{name}");
    }
    let roles: Vec<_> = graph.relations().iter().map(|r| (r.name.as_str(), r.role)).collect();
    for known in [
        ("has_symptom", Role::Symptom),
        ("need_test", Role::Test),
        ("common_drug", Role::Treatment),
        ("recommended_drug", Role::Treatment),
        ("has_complication", Role::Complication),
        ("cure_way", Role::Treatment),
        ("department", Role::Related),
        ("bad_food", Role::Related),
        ("good_food", Role::Related),
        ("suggested_dish", Role::Related),
    ] {
        assert!(roles.contains(&known), "{known:?}");
    }
    assert_eq!(rejected(&report), ["1: an item of the field \"drug_detail\": it is not of the form \"producer(drug)\""]);
    for field in ["prevent", "cause", "get_prob", "easy_get", "cost_money"] {
        assert_eq!(left_out(&report, &format!("field {field}")), 1, "{field}");
    }
}

#[test]
fn errors_name_line_and_field() {
    let text = "{\"name\": \"A\", \"symptom\": [\"s\", 3, \"\"], \"check\": 5, \"desc\": []}\n\
                {\"name\": \"B\", \"symptom\": \"one\"}\n{\"symptom\": []}\n{\"name\": 7}\n{\"name\": \"C\"\n[]\n\n{\"name\": \"\"}\n\
                {\"name\": \"D\", \"symptom\": null}\n";
    let (graph, report) = graph_of_bytes(GraphFormat::DiseaseJson, text.as_bytes());
    assert_eq!(triples(&graph), set(&["A -has_symptom-> s", "B -has_symptom-> one"]));
    assert_eq!(graph.kind(graph.find("D").expect("a disease without lists is one")), &Kind::Disease);
    let reasons = rejected(&report);
    let expected = [
        "1: the field \"desc\" is a list, not a text",
        "1: an item of the field \"symptom\": it is a number, not a text",
        "1: the field \"check\" is a number, not a list",
        "3: the field \"name\" is missing",
        "4: the field \"name\" is a number, not a text",
        "5: not valid JSON: EOF while parsing an object",
        "6: not a JSON object",
        "8: the field \"name\": an empty column",
    ];
    for (reason, expected) in reasons.iter().zip(expected) {
        assert!(reason.starts_with(expected), "{reason}");
    }
    assert_eq!(reasons.len(), expected.len());
    assert_eq!(left_out(&report, "empty item of a list"), 1);
}

#[test]
fn deep_json_is_rejected() {
    let text =
        format!("{{\"name\": \"A\", \"x\": {}1{}}}\n{{\"name\": \"B\", \"symptom\": [\"s\"]}}\n", "[".repeat(100_000), "]".repeat(100_000));
    let (graph, report) = graph_of_bytes(GraphFormat::DiseaseJson, text.as_bytes());
    assert_eq!(triples(&graph), set(&["B -has_symptom-> s"]));
    assert!(report.rejected[0].reason.contains("recursion limit"), "{:?}", report.rejected);
}
