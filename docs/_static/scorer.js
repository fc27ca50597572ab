// Which pages a search finds first. Rules and games stand a little above other pages where the same
// is found, and names of the code below, since a part of a name is enough: "ram" is in "parameters".
var Scorer = {
  score: ([page, title, anchor, description, score, file, kind]) =>
    score + (kind !== "object" && /^docs\/(play|games)\/|\/RULES$/.test(page) ? 3 : 0),
  objNameMatch: 11,
  objPartialMatch: 1,
  objPrio: {0: 2, 1: 1, 2: 0},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 2,
  term: 6,
  partialTerm: 1,
};
