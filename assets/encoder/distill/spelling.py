"""British spellings and typing errors of training texts (their target stays the teacher's vector of the original)."""
import re

UK = [(re.compile(a), b) for a, b in [
    (r"\bhem(?=at|o[a-z])", "haem"), (r"hemorrh", "haemorrh"), (r"(?<=an|uk|yc|ch|ur|er|ir|ox|ss|ic|al|pl|ol)(?<!ac)emi(?=a|c\b)", "aemi"),
    (r"esophag", "oesophag"), (r"edema", "oedema"), (r"rrhea", "rrhoea"), (r"\bpediatr", "paediatr"), (r"orthoped", "orthopaed"),
    (r"\bfet(?=us|al)", "foet"), (r"gynec", "gynaec"), (r"anesth", "anaesth"), (r"\bcesar", "caesar"), (r"\bceliac", "coeliac"),
    (r"pnea\b", "pnoea"), (r"estrogen", "oestrogen"), (r"tumor", "tumour"), (r"\bcolor(?!ec)", "colour"), (r"\bodor\b", "odour"),
    (r"behavior", "behaviour"), (r"\bfiber", "fibre"), (r"\bliter\b", "litre"), (r"\bcenter", "centre"), (r"ization\b", "isation"),
    (r"(?<=al|il|er|at|ar)iz(?=e|ed|ing|es)\b", "is"), (r"lyz(?=e)", "lys"), (r"sulf", "sulph"), (r"\bameb", "amoeb"), (r"\bfec(?=al|es)", "faec"),
    (r"\bcec(?=um|al)", "caec"), (r"labor\b", "labour"), (r"\bgray\b", "grey"), (r"etiolog", "aetiolog"), (r"\bmold", "mould"),
    (r"pedophil", "paedophil"), (r"\bmaneuver", "manoeuvre"), (r"\bleukocyt", "leucocyt"),
    (r"\bhumor\b", "humour"), (r"\bprogram\b", "programme"), (r"\baging\b", "ageing"), (r"\bskeptic", "sceptic"),
]]


def british(text):
    for pattern, to in UK:
        text = pattern.sub(to, text)
    return text


def typo(text, rng, letters="abcdefghijklmnopqrstuvwxyz"):
    """One slip in one word of five letters or more: swap, drop, double or replace."""
    places = [m for m in re.finditer(r"[a-z]{5,}", text)]
    if not places:
        return text
    m = rng.choice(places)
    w, i = m[0], rng.randrange(1, len(m[0]) - 1)
    kind = rng.randrange(4)
    if kind == 0:
        w = w[:i] + w[i + 1] + w[i] + w[i + 2:]
    elif kind == 1:
        w = w[:i] + w[i + 1:]
    elif kind == 2:
        w = w[:i] + w[i] + w[i:]
    else:
        w = w[:i] + rng.choice(letters) + w[i + 1:]
    return text[:m.start()] + w + text[m.end():]
