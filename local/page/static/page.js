// What a page does beyond its HTML: it shows relative times, follows changes, and sends forms without reloading.
// It inserts only what this server rendered.
"use strict";
const all = (query, within = document) => [...within.querySelectorAll(query)];
const parse = (text) => new DOMParser().parseFromString(text, "text/html");
const live = document.getElementById("live");
// Times, in the reader's own zone.
const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
function showTimes() {
  for (const time of all("time[datetime]")) {
    const at = new Date(time.dateTime), seconds = (at - Date.now()) / 1000;
    const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? [];
    time.title = full.format(at);
    time.textContent = unit ? ago.format(Math.trunc(seconds / length), unit) : "just now";
  }
}

// The page is updated to what the server shows now. What the reader did stays: what they typed and opened, and where
// they are. A fold follows the server, unless somebody is writing in it.
const folds = new WeakMap(); // whether the server has a details open
const served = new Map(); // the server's HTML of each live part, by its id

function remember(parent) {
  all("details", parent).forEach((fold) => folds.set(fold, fold.open));
  return parent;
}

function setFold(old, open) {
  const isWriting = all("textarea", old).some((text) => text.value !== text.defaultValue);
  if (folds.get(old) === open || (isWriting && !open)) return;
  if (!open && old.contains(document.activeElement)) old.querySelector("summary").focus();
  folds.set(old, old.open = open);
}

function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.data = fresh.data);
  if (old.localName === "time" && old.dateTime === fresh.dateTime) return;
  const isOurs = (name) => name === "aria-busy" || (name === "open" && old.localName === "details");
  for (const { name, value } of fresh.attributes) if (!isOurs(name)) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!isOurs(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  updateChildren(old, fresh);
  if (old.localName === "details") setFold(old, fresh.open);
}

function updateChildren(old, fresh) {
  const wanted = new Set([...fresh.children].map((child) => child.id));
  for (const child of [...old.children]) if (child.id && !wanted.has(child.id)) child.remove();
  const named = new Map([...old.children].map((child) => [child.id, child]));
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    while (at?.className === "error") at = at.nextSibling;
    const same = child.id ? named.get(child.id) : at?.id ? null : at;
    if (same?.nodeName === child.nodeName) {
      same === at ? (at = at.nextSibling) : old.insertBefore(same, at);
      update(same, child);
    } else {
      const made = document.createDocumentFragment();
      made.append(document.importNode(child, true));
      old.insertBefore(remember(made), at);
    }
  }
  const left = at ? [...old.childNodes].slice([...old.childNodes].indexOf(at)) : [];
  for (const node of left) if (node.className !== "error") node.remove();
}

function show(page) {
  document.title = page.title;
  for (const id of [...served.keys()]) if (!page.getElementById(id)) document.getElementById(id)?.remove();
  for (const fresh of all("[data-live]", page)) {
    const old = document.getElementById(fresh.id), html = fresh.outerHTML;
    if (old && served.get(fresh.id) !== html) update(old, fresh);
    served.set(fresh.id, html);
  }
  showTimes();
}

// Changes: one request at a time, and the longer it takes the longer until the next one.
let timer, stream, isRefreshing = false, pause = 250;

async function refresh() {
  timer = 0;
  if (isRefreshing) return refreshSoon();
  isRefreshing = true;
  const began = performance.now();
  try {
    const answer = await fetch(location.href), page = parse(await answer.text());
    if (answer.ok) show(page);
    live.dataset.revision = page.getElementById("live")?.dataset.revision;
  } catch {} // the stream shows that the connection is lost, and refreshes the page when it is back
  isRefreshing = false;
  pause = Math.max(250, 2 * (performance.now() - began));
}

const refreshSoon = () => (timer ||= setTimeout(refresh, pause));

function follow() {
  stream?.close();
  if (document.hidden) return;
  stream = new EventSource(live.dataset.address);
  stream.addEventListener("changed", (event) => event.data === live.dataset.revision || refreshSoon());
  stream.onopen = () => Object.assign(live, { textContent: "live", className: "live" });
  stream.onerror = () => {
    const textContent = "connection lost, reconnecting";
    if (live.textContent !== textContent) Object.assign(live, { textContent, className: "live lost" });
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
  };
}

// Forms: a refusal is shown below them.
async function send(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const answer = await fetch(form.getAttribute("action"), { method: "post", body, redirect: "manual" });
  if (answer.type !== "opaqueredirect") throw parse(await answer.text()).getElementById("refusal")?.textContent;
  form.reset();
  const fold = form.closest("details.pop") ?? form.closest("details.write");
  if (fold) fold.open = false;
  refreshSoon();
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!live || form.method !== "post" || "plain" in form.dataset) return;
  event.preventDefault();
  if (form.hasAttribute("aria-busy")) return;
  form.setAttribute("aria-busy", "true");
  all(".error", form).forEach((error) => error.remove());
  await send(form, event.submitter).catch((words) => {
    const textContent = typeof words === "string" ? words.trim() : "No response from the server. Try again.";
    form.append(Object.assign(document.createElement("p"), { className: "error", role: "alert", textContent }));
  });
  form.removeAttribute("aria-busy");
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") event.target.closest("details.pop[open]")?.removeAttribute("open");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form?.requestSubmit();
});
document.addEventListener("click", (event) => {
  for (const pop of all("details.pop[open]")) if (!pop.contains(event.target)) pop.open = false;
});

remember(document);
all("[data-live]").forEach((part) => served.set(part.id, part.outerHTML));
showTimes();
setInterval(showTimes, 30000);
document.addEventListener("visibilitychange", () => live && follow());
if (live) follow();
