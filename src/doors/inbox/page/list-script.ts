/** The left half of the inbox page, in the browser: the list, its live updates, and how to begin. */
export const LIST_SCRIPT = String.raw`
let messages = [];
const unseen = new Set();
let painting = null;

async function load() {
  messages = (await (await ask('/dev/inbox/messages')).json()).messages;
  showList();
}

/** A burst of mail is painted once, not once per message. */
function showList() {
  if (painting === null) painting = setTimeout(paintList, 30);
}

function paintList() {
  painting = null;
  const focused = $('list').contains(document.activeElement) ? document.activeElement.hash : null;
  const wanted = $('filter').value.trim().toLowerCase();
  const shown = messages.filter((message) => [message.subject, message.from, ...message.to].join(' ').toLowerCase().includes(wanted));
  $('list').replaceChildren(...shown.map(row));
  if (focused) for (const link of $('list').querySelectorAll('a')) if (link.hash === focused) link.focus({ preventScroll: true });
  $('none').hidden = shown.length > 0 || messages.length === 0;
  $('count').textContent = wanted ? shown.length + ' of ' + messages.length : String(messages.length || '');
  $('clear').disabled = messages.length === 0;
  $('main').classList.toggle('empty', messages.length === 0);
  $('start-title').textContent = messages.length === 0 ? 'No mail yet' : 'Choose a message';
  document.title = (unseen.size ? '(' + unseen.size + ') ' : '') + 'Inbox · Postrider';
}

function row(message) {
  const link = el('a', { href: '#/' + message.id },
    el('span', { className: 'to', textContent: (message.to.length ? message.to : message.envelope.to).map(bareAddress).join(', ') }),
    el('time', { dateTime: message.receivedAt, textContent: shortTime(new Date(message.receivedAt)) }),
    el('span', { className: 'line', textContent: message.subject || '(no subject)' }));
  if (message.id === route().id) link.setAttribute('aria-current', 'true');
  return el('li', { className: unseen.has(message.id) ? 'new' : '' }, link);
}

const bareAddress = (text) => (/<([^<>]+)>$/.exec(text) || [text, text])[1];

function shortTime(at) {
  const today = at.toDateString() === new Date().toDateString();
  return today ? at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : at.toLocaleDateString([], { day: 'numeric', month: 'short' });
}

function route() {
  const [, id, tab] = location.hash.split('/');
  return { id: id || null, tab };
}

async function follow() {
  const { id, tab } = route();
  const fresh = !opened || opened.id !== id;
  const take = () => route().id === id;
  notice('');
  if (id) unseen.delete(id);
  $('start').hidden = Boolean(id);
  $('main').classList.toggle('open', Boolean(id));
  showList();
  if (!id) return closeMessage();
  try {
    await openMessage(id, tab, take);
    if (fresh && take() && matchMedia('(max-width: 760px)').matches) $('subject').focus();
  } catch (error) {
    if (!take()) return;
    notice(error.status === 404 ? 'That message is no longer here.' : error.message);
    location.hash = '#/';
  }
}

function gone(isGone) {
  messages = messages.filter((message) => !isGone(message.id));
  for (const id of [...unseen]) if (isGone(id)) unseen.delete(id);
  showList();
  if (opened && isGone(opened.id)) location.hash = '#/';
}

function listen() {
  const stream = new EventSource('/dev/inbox/stream');
  const say = (text, on) => { $('live').textContent = text; $('live').classList.toggle('on', on); };
  stream.onopen = () => { say('Live', true); load().catch((error) => notice(error.message)); };
  stream.onerror = () => {
    say('Reconnecting', false);
    // The browser gives up for good after an answer that is not a stream.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
  stream.addEventListener('received', (event) => {
    const { message } = JSON.parse(event.data);
    if (messages.some(({ id }) => id === message.id)) return;
    messages = [message, ...messages].sort((a, b) => (a.id < b.id ? 1 : -1));
    unseen.add(message.id);
    showList();
  });
  stream.addEventListener('removed', (event) => { const { id } = JSON.parse(event.data); gone((other) => other === id); });
  stream.addEventListener('cleared', () => gone(() => true));
}

async function whileBusy(button, work) {
  button.disabled = true;
  notice('');
  try { await work(); } catch (error) { notice(error.message); }
  button.disabled = false;
}

const sendSample = (event) => whileBusy(event.currentTarget, () => ask('/dev/inbox/sample', { method: 'POST' }));
$('sample').addEventListener('click', sendSample);
$('sample-here').addEventListener('click', sendSample);

$('clear').addEventListener('click', async () => {
  const question = messages.length === 1 ? 'Remove the message?' : 'Remove all ' + messages.length + ' messages?';
  if (!confirm(question)) return;
  await whileBusy($('clear'), () => ask('/dev/inbox/messages', { method: 'DELETE' }));
  showList();
});

$('curl').textContent = "curl " + location.origin + "/v1/email/send \\\n  -H 'Content-Type: application/json' \\\n"
  + "  -d '{\"to\":\"reader@example.com\",\"subject\":\"Hello\",\"text\":\"It works.\"}'";
$('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText($('curl').textContent);
    $('copy').textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren($('curl'));
    $('copy').textContent = 'Selected';
  }
  setTimeout(() => { $('copy').textContent = 'Copy'; }, 1600);
});

$('filter').addEventListener('input', showList);
$('list').addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const links = [...$('list').querySelectorAll('a')];
  const next = links[links.indexOf(document.activeElement) + step];
  if (next) { event.preventDefault(); next.focus(); }
});

addEventListener('hashchange', follow);
listen();
follow();
`;
