// What a page does beyond its HTML: it tells times as people do, follows changes, and sends forms without leaving.
// It puts in nothing but what this server rendered.
"use strict";
const all = (query, within = document) => [...within.querySelectorAll(query)];
const parse = (text) => new DOMParser().parseFromString(text, "text/html");
const sign = document.getElementById("live");
// Times, in the reader's own zone.
const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
function tellTimes() {
  for (const time of all("time[datetime]")) {
    const at = new Date(time.dateTime), seconds = (at - Date.now()) / 1000;
    const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? [];
    time.title = full.format(at);
    time.textContent = unit ? ago.format(Math.trunc(seconds / length), unit) : "just now";
  }
}

// The page is brought to what the server shows now. What the reader did stays: what they typed and opened, and where
// they are. A fold that the server opens or closes follows it, unless somebody is writing in there.
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

function bring(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.data = fresh.data);
  if (old.localName === "time" && old.dateTime === fresh.dateTime) return;
  const isOurs = (name) => name === "aria-busy" || (name === "open" && old.localName === "details");
  for (const { name, value } of fresh.attributes) if (!isOurs(name)) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!isOurs(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  bringChildren(old, fresh);
  if (old.localName === "details") setFold(old, fresh.open);
}

function bringChildren(old, fresh) {
  const wanted = new Set([...fresh.children].map((child) => child.id));
  for (const child of [...old.children]) if (child.id && !wanted.has(child.id)) child.remove();
  const named = new Map([...old.children].map((child) => [child.id, child]));
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    while (at?.className === "told") at = at.nextSibling;
    const same = child.id ? named.get(child.id) : at?.id ? null : at;
    if (same?.nodeName === child.nodeName) {
      same === at ? (at = at.nextSibling) : old.insertBefore(same, at);
      bring(same, child);
    } else {
      const made = document.createDocumentFragment();
      made.append(document.importNode(child, true));
      old.insertBefore(remember(made), at);
    }
  }
  const left = at ? [...old.childNodes].slice([...old.childNodes].indexOf(at)) : [];
  for (const node of left) if (node.className !== "told") node.remove();
}

function show(page) {
  document.title = page.title;
  for (const id of [...served.keys()]) if (!page.getElementById(id)) document.getElementById(id)?.remove();
  for (const fresh of all("[data-live]", page)) {
    const old = document.getElementById(fresh.id), html = fresh.outerHTML;
    if (old && served.get(fresh.id) !== html) bring(old, fresh);
    served.set(fresh.id, html);
  }
  tellTimes();
}

// Changes: one look at a time, and the longer it takes the longer until the next one.
let timer, stream, isLooking = false, pause = 250;

async function look() {
  timer = 0;
  if (isLooking) return lookSoon();
  isLooking = true;
  const began = performance.now();
  try {
    const answer = await fetch(location.href), page = parse(await answer.text());
    if (answer.ok) show(page);
    sign.dataset.revision = page.getElementById("live")?.dataset.revision;
  } catch {} // the stream says that the connection is lost, and makes us look again when it is back
  isLooking = false;
  pause = Math.max(250, 2 * (performance.now() - began));
}

const lookSoon = () => (timer ||= setTimeout(look, pause));

function follow() {
  stream?.close();
  if (document.hidden) return;
  stream = new EventSource(sign.dataset.address);
  stream.addEventListener("changed", (event) => event.data === sign.dataset.revision || lookSoon());
  stream.onopen = () => Object.assign(sign, { textContent: "live", className: "live" });
  stream.onerror = () => {
    const textContent = "connection lost, trying again";
    if (sign.textContent !== textContent) Object.assign(sign, { textContent, className: "live lost" });
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
  };
}

// Forms: what is refused is said beside them.
async function send(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const answer = await fetch(form.getAttribute("action"), { method: "post", body, redirect: "manual" });
  if (answer.type !== "opaqueredirect") throw parse(await answer.text()).getElementById("refusal")?.textContent;
  form.reset();
  const fold = form.closest("details.pop") ?? form.closest("details.write");
  if (fold) fold.open = false;
  lookSoon();
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!sign || form.method !== "post" || "plain" in form.dataset) return;
  event.preventDefault();
  if (form.hasAttribute("aria-busy")) return;
  form.setAttribute("aria-busy", "true");
  all(".told", form).forEach((told) => told.remove());
  await send(form, event.submitter).catch((words) => {
    const textContent = typeof words === "string" ? words.trim() : "The server gave no answer. Try again.";
    form.append(Object.assign(document.createElement("p"), { className: "told", role: "alert", textContent }));
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
tellTimes();
setInterval(tellTimes, 30000);
document.addEventListener("visibilitychange", () => sign && follow());
if (sign) follow();
