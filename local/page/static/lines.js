// Lights the lines that the address names with "#L12-L20"; one line alone needs no script.
const light = () => {
  document.querySelectorAll("tr.hit").forEach(row => row.classList.remove("hit"));
  const [, first, last] = location.hash.match(/^#L(\d+)(?:C\d+)?-L(\d+)/) ?? [];
  const rows = [...document.querySelectorAll("tr.line")].slice(first - 1, last);
  if (!first) return;
  rows.forEach(row => row.classList.add("hit"));
  rows[0]?.scrollIntoView({block: "center"});
};
addEventListener("hashchange", light);
light();
