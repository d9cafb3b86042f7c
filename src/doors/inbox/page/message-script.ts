/**
 * The right half of the inbox page, in the browser: one message and its tabs. Text from a message only
 * ever becomes text nodes; its HTML only ever loads in a frame without scripts and without an origin.
 */
export const MESSAGE_SCRIPT = String.raw`
const $ = (id) => document.getElementById(id);
const TABS = ['html', 'text', 'headers', 'source', 'timeline'];
let opened = null;

function el(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

async function ask(path, options) {
  const answer = await fetch(path, options);
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail || 'The server answered ' + answer.status + '.'), { status: answer.status });
}

function notice(text) {
  $('notice').textContent = text || '';
  $('notice').hidden = !text;
}

const messagePath = (id) => '/dev/inbox/messages/' + encodeURIComponent(id);
const sizeText = (bytes) => bytes < 1000 ? bytes + ' B' : bytes < 1e6 ? Math.round(bytes / 1000) + ' kB' : (bytes / 1e6).toFixed(1) + ' MB';

async function openMessage(id, tab, take) {
  if (!opened || opened.id !== id) {
    const found = await (await ask(messagePath(id))).json();
    if (!take()) return;
    opened = found;
    showEnvelope();
  }
  $('message').hidden = false;
  selectTab(TABS.includes(tab) ? tab : opened.html === null ? 'text' : 'html');
}

function closeMessage() {
  opened = null;
  $('message').hidden = true;
  $('pane').replaceChildren();
}

function showEnvelope() {
  $('duplicate').hidden = true;
  $('subject').textContent = opened.subject || '(no subject)';
  const rows = [['From', opened.from || opened.envelope.from], ['To', opened.to.join(', ')], ['Cc', opened.cc.join(', ')],
    ['Reply to', opened.replyTo.join(', ')], ['Delivered to', hiddenRecipients()],
    ['Received', new Date(opened.receivedAt).toLocaleString() + ' · ' + sizeText(opened.size)], ['Problem', opened.problem]];
  $('envelope').replaceChildren(...rows.filter((row) => row[1]).flatMap(([name, value]) => [el('dt', { textContent: name }), el('dd', { textContent: value })]));
  $('attachments').replaceChildren(...opened.attachments.map((attachment) => el('li', {}, el('a', {
    href: messagePath(opened.id) + '/attachments/' + attachment.n,
    download: '',
    textContent: (attachment.filename || attachment.contentType) + ' · ' + sizeText(attachment.size),
  }))));
}

/** The envelope says who got it, the headers whom it names; only a difference (Bcc) is worth a line. */
function hiddenRecipients() {
  const named = (opened.to.join(' ') + ' ' + opened.cc.join(' ')).toLowerCase();
  return opened.envelope.to.every((address) => named.includes(address.toLowerCase())) ? '' : opened.envelope.to.join(', ');
}

function selectTab(tab) {
  for (const name of TABS) {
    const button = $('tab-' + name);
    button.setAttribute('aria-selected', String(name === tab));
    button.tabIndex = name === tab ? 0 : -1;
  }
  $('tab-html').disabled = opened.html === null;
  $('pane').setAttribute('aria-labelledby', 'tab-' + tab);
  $('pane').dataset.tab = tab;
  fillPane(tab, opened);
}

async function fillPane(tab, message) {
  const current = () => opened === message && $('pane').dataset.tab === tab;
  try {
    const content = await PANES[tab](message);
    if (current()) $('pane').replaceChildren(...content);
  } catch (error) {
    if (current()) $('pane').replaceChildren(hint(error.message));
  }
}

const hint = (text) => el('p', { className: 'hint', textContent: text });

const PANES = {
  html(message) {
    if (message.html === null) return [hint('This message has no HTML part.')];
    const frame = el('iframe', { title: 'HTML of the message', src: messagePath(message.id) + '/html' });
    frame.sandbox = 'allow-popups allow-popups-to-escape-sandbox';
    const remote = /(?:src|background)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i.test(message.html);
    return remote ? [hint('Images from the network are not loaded here.'), frame] : [frame];
  },
  text: (message) => [message.text === null ? hint('This message has no text part.') : el('pre', { textContent: message.text })],
  headers(message) {
    const rows = message.headers.map(({ name, value }) => el('tr', {}, el('th', { scope: 'row', textContent: name }), el('td', { className: 'code', textContent: value })));
    return [el('div', { className: 'wide' }, el('table', {}, el('tbody', {}, ...rows)))];
  },
  async source(message) {
    return [el('pre', { textContent: await (await ask(messagePath(message.id) + '/raw')).text() })];
  },
  async timeline(message) {
    if (!message.emailId) return [hint('This message was not sent by Postrider: its Message-ID names no email.')];
    const path = '/v1/emails/' + message.emailId + '/events';
    const events = await (await ask(path)).json();
    if (opened === message) $('duplicate').hidden = !events.some(({ metadata }) => metadata && metadata.possibleDuplicate);
    const head = el('thead', {}, el('tr', {}, ...['Time', 'Event', 'Details'].map((name) => el('th', { scope: 'col', textContent: name }))));
    const table = el('table', { className: 'events' }, head, el('tbody', {}, ...events.map(eventRow)));
    const source = el('p', { className: 'hint' }, 'Email ' + message.emailId + ' · ', el('a', { href: path, target: '_blank', textContent: 'as JSON' }));
    return [source, el('div', { className: 'wide' }, table)];
  },
};

const isPlain = (value) => typeof value !== 'object';
const valueText = (value) => isPlain(value) ? String(value) : Array.isArray(value) && value.every(isPlain) ? value.join(', ') : JSON.stringify(value);

function eventRow(event) {
  const at = new Date(event.createdAt);
  const time = Number.isNaN(at.getTime()) ? String(event.createdAt) : at.toLocaleTimeString('en-GB') + '.' + String(at.getMilliseconds()).padStart(3, '0');
  const pairs = Object.entries(event.metadata || {}).filter(([, value]) => value !== null && value !== undefined);
  const details = pairs.map(([name, value]) => el('span', { className: 'pair' }, el('span', { textContent: name + ' ' }),
    valueText(value)));
  return el('tr', {}, el('td', { className: 'time', textContent: time, title: String(event.createdAt) }),
    el('td', { className: 'event', textContent: event.type }), el('td', {}, ...details));
}

for (const name of TABS) $('tab-' + name).addEventListener('click', () => { location.hash = '#/' + opened.id + '/' + name; });

$('tab-html').parentElement.addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const usable = TABS.filter((name) => !$('tab-' + name).disabled);
  const next = usable[(usable.indexOf($('pane').dataset.tab) + step + usable.length) % usable.length];
  $('tab-' + next).focus();
  $('tab-' + next).click();
});
`;
