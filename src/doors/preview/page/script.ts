/**
 * The page of templates, in the browser: choose, look, change the data, send. What comes from data and templates only
 * ever becomes text nodes; an email's HTML only ever loads in a frame without scripts and without an origin.
 */
export const SCRIPT = `'use strict';
const $ = (id) => document.getElementById(id);
const edited = new Map();
let types = [];
let shown = null;
let asked = 0;
let waiting = null;

function el(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

async function ask(path, body) {
  const options = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(path, options);
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.detail || 'The server answered ' + answer.status + '.');
  return said;
}

function state() {
  const [, type, lang, screen, part] = location.hash.split('/');
  return { type: type || types[0].type, lang: lang || 'en', screen: screen || 'desktop', part: part || 'html' };
}

function go(change) {
  const { type, lang, screen, part } = { ...state(), ...change };
  location.hash = ['#', type, lang, screen, part].join('/');
}

function say(id, text) {
  $(id).textContent = text || '';
  $(id).hidden = !text;
}

function showList() {
  const { type: current } = state();
  const wanted = $('filter').value.trim().toLowerCase();
  const fits = types.filter(({ type }) => type.toLowerCase().includes(wanted));
  const portals = [...new Set(fits.map(({ portal }) => portal))];
  $('list').replaceChildren(...portals.flatMap((portal) => [el('h3', { textContent: portal }),
    ...fits.filter((one) => one.portal === portal).map(({ type }) => {
      const link = el('a', { href: '#/' + type, textContent: type });
      link.addEventListener('click', (event) => { event.preventDefault(); go({ type }); });
      if (type === current) link.setAttribute('aria-current', 'page');
      return link;
    })]));
}

function choose() {
  const { type, lang, screen, part } = state();
  const found = types.find((one) => one.type === type);
  if (!found) return say('error', 'There is no type ' + type + '.');
  showList();
  $('lang').replaceChildren(...found.languages.map((one) => el('option', { value: one, textContent: one })));
  if (!found.languages.includes(lang)) return go({ lang: found.languages.includes('en') ? 'en' : found.languages[0] });
  $('lang').value = lang;
  for (const button of document.querySelectorAll('[data-screen]')) button.setAttribute('aria-pressed', button.dataset.screen === screen);
  for (const button of document.querySelectorAll('[data-part]')) button.setAttribute('aria-pressed', button.dataset.part === part);
  if ($('data').dataset.type !== type) {
    $('data').dataset.type = type;
    $('sample').replaceChildren(...Object.keys(found.samples).map((name) => el('option', { value: name, textContent: name })));
    $('data').value = edited.get(type) ?? sampleText();
  }
  document.title = type + ' · Templates · Postrider';
  render();
}

function sampleText() {
  const { samples } = types.find((one) => one.type === state().type);
  return JSON.stringify(samples[$('sample').value] ?? samples.sample, null, 2);
}

function readData() {
  try { return JSON.parse($('data').value); } catch (error) { throw new Error('The data is not JSON: ' + error.message); }
}

function request() {
  const { type, lang } = state();
  return { type, lang, data: readData(), companyId: $('company').value };
}

async function render() {
  const turn = ++asked;
  try {
    const answer = await ask('/dev/templates/render', request());
    if (turn !== asked) return;
    shown = answer;
    say('error', '');
    document.body.classList.remove('stale');
    show();
  } catch (error) {
    if (turn !== asked) return;
    say('error', error.message);
    document.body.classList.add('stale');
  }
}

function show() {
  const { screen, part } = state();
  $('subject').textContent = shown.subject;
  $('facts').textContent = (shown.bytes / 1024).toFixed(1) + ' KB';
  $('warnings').replaceChildren(...shown.warnings.map((text) => el('li', { textContent: text })));
  $('warnings').hidden = shown.warnings.length === 0;
  $('files').replaceChildren(...shown.attachments.map(({ filename, contentType, content }) => el('details', {},
    el('summary', { textContent: filename + ' · ' + contentType }), el('pre', { textContent: content }))));
  if (part !== 'html') return $('pane').replaceChildren(el('pre', { textContent: part === 'text' ? shown.text : shown.source }));
  const frame = el('iframe', { title: 'The email', className: screen });
  frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox');
  frame.src = '/dev/templates/frames/' + encodeURIComponent(shown.id) + '?screen=' + (screen === 'dark' ? 'dark' : 'light');
  $('pane').replaceChildren(frame);
}

function listen() {
  const stream = new EventSource('/dev/templates/stream');
  const tell = (text, on) => { $('live').textContent = text; $('live').classList.toggle('on', on); };
  stream.onopen = () => tell('Live', true);
  stream.onerror = () => {
    tell('Reconnecting', false);
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
  stream.addEventListener('changed', load);
}

async function load() {
  try {
    const list = await ask('/dev/templates/types');
    const company = $('company').value;
    types = list.types;
    $('company').replaceChildren(...['', ...list.companies].map((name) => el('option', { value: name, textContent: name || 'every company' })));
    $('company').value = list.companies.includes(company) ? company : '';
    $('company').hidden = list.companies.length === 0;
    choose();
  } catch (error) { say('error', error.message); }
}

$('filter').addEventListener('input', showList);
$('lang').addEventListener('change', () => go({ lang: $('lang').value }));
$('company').addEventListener('change', render);
for (const button of document.querySelectorAll('[data-screen]')) button.addEventListener('click', () => go({ screen: button.dataset.screen, part: 'html' }));
for (const button of document.querySelectorAll('[data-part]')) button.addEventListener('click', () => go({ part: button.dataset.part }));
$('data').addEventListener('input', () => {
  edited.set(state().type, $('data').value);
  clearTimeout(waiting);
  waiting = setTimeout(render, 150);
});
const takeSample = () => { edited.delete(state().type); $('data').value = sampleText(); render(); };
$('sample').addEventListener('change', takeSample);
$('reset').addEventListener('click', takeSample);
$('send').addEventListener('click', async () => {
  $('send').disabled = true;
  try {
    await ask('/dev/templates/send', request());
    say('notice', 'Sent. It is in the inbox.');
  } catch (error) { say('notice', error.message); }
  $('send').disabled = false;
});
addEventListener('hashchange', () => { say('notice', ''); choose(); });

load().then(listen);
`;
