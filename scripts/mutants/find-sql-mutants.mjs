/**
 * Faults in the SQL of one string or template. A condition is dropped as `(… or true)`, an alternative as `(… and false)`,
 * so that parameters keep their types and the statement stays one that PostgreSQL accepts. What `${}` puts in is taken as one word.
 */
const SQL = /\b(?:select|update|delete|insert|where|and|join|set|limit|order by|interval|is null)\b/;
const STATEMENT =
  /\b(?:select|delete from|insert into|where|join|order by|is (?:not )?null|returning)\b|\bupdate\s[\w.]+.*\bset\b|(?:^|\s)and\s.*(?:=|<|>|\$\d)|^\w+(?:\.\w+)* (?:=|<|>)/s;
const NOT_PROSE = /\$\d|[\w)] (?:=|<|>|<=|>=|<>) [\w('$]|postrider\.|::|\bis (?:not )?null\b/;
const WORD = /--[^\n]*|\$\{|'(?:[^']|'')*'|[a-z_]\w*|[()]|;/gi;
const OPENS = /^(?:where|and|on|or|when|having|filter)$/i;
const CLOSES =
  /^(?:and|or|returning|order|group|limit|offset|union|except|window|having|where|set|from|join|left|inner|cross|full|for|then|else|end|on|when|as|values|using|;)$/i;

export function findSqlMutants(text, node) {
  const start = node.start + 1;
  const end = node.end - 1;
  const sql = text.slice(start, end);
  if (!SQL.test(sql) || !STATEMENT.test(sql) || !NOT_PROSE.test(sql)) return [];
  const plain = blank(sql);
  const found = [
    ...conditions(sql, plain),
    ...matches(plain, COMPARISON, 'sql compare', ([, sign]) => (sign.endsWith('=') ? sign[0] : `${sign}=`)),
    ...matches(plain, /\bis null\b/gi, 'sql null', () => 'is not null'),
    ...matches(plain, /\bis not null\b/gi, 'sql null', () => 'is null'),
    ...matches(
      plain,
      /\b(?:least|greatest|min|max|bool_or|bool_and)(?=\()/gi,
      'sql choice',
      ([word]) => OTHERS[word.toLowerCase()],
    ),
    ...matches(plain, / \+ 1\b/g, 'sql arithmetic', () => ''),
    ...matches(plain, / desc\b/gi, 'sql order', () => ''),
    ...matches(sql, /(?<=interval ')\d+/gi, 'sql constant', ([number]) => `${number}0`),
    ...matches(plain, /(?<=limit )\d+/gi, 'sql constant', ([number]) => `${number}0`),
    ...assignments(plain),
  ];
  return found.map((it) => ({ ...it, start: start + it.start, end: start + it.end }));
}

/** With the clock a comparison is the same but for a microsecond. */
const COMPARISON = /(?<![<>=!-])([<>]=?)(?![<>=-])(?![^\n]*(?:now\(\)|clock_timestamp))/g;
const OTHERS = {
  least: 'greatest',
  greatest: 'least',
  min: 'max',
  max: 'min',
  bool_or: 'bool_and',
  bool_and: 'bool_or',
};

function matches(text, pattern, kind, replace) {
  return [...text.matchAll(pattern)].map((match) => ({
    kind,
    start: match.index,
    end: match.index + match[0].length,
    to: replace(match),
  }));
}

/** Comments and what stands in quotes are spaces, what `${}` puts in is one word of the same length. */
function blank(sql) {
  let plain = '';
  for (let i = 0; i < sql.length; ) {
    const rest = sql.slice(i);
    const skip = rest.startsWith('${')
      ? interpolated(rest)
      : (/^(?:--[^\n]*|'(?:[^']|'')*')/.exec(rest)?.[0].length ?? 0);
    plain += rest.startsWith('${')
      ? 'x'.repeat(skip)
      : skip > 0
        ? rest.slice(0, skip).replace(/[^']/g, ' ')
        : sql[i];
    i += Math.max(1, skip);
  }
  return plain;
}

function interpolated(rest) {
  let depth = 0;
  for (let i = 1; i < rest.length; i++) {
    if (rest[i] === '{') depth++;
    if (rest[i] === '}' && --depth === 0) return i + 1;
  }
  return rest.length;
}

/** What stands between where, on, and, or, when and the end of that condition. */
function conditions(sql, plain) {
  const found = [];
  const levels = [{ from: leading(plain), between: false, alternative: false }];
  const close = (level, at, word = '') => {
    const alternative = level.alternative || /^or$/i.test(word);
    level.alternative = /^or$/i.test(word);
    if (level.from === null) return;
    const words = plain.slice(level.from, at);
    const start = level.from + (words.length - words.trimStart().length);
    const end = start + words.trim().length;
    level.from = null;
    if (!/[=<>]|\b(?:is|in|any|exists|like|not)\b/i.test(words) || /^\s*(?:true|false)\s*$/i.test(words))
      return;
    const condition = sql.slice(start, end);
    found.push({
      kind: kindOf(condition, alternative),
      start,
      end,
      to: `(${condition} ${alternative ? 'and false' : 'or true'})`,
    });
  };
  for (const { 0: word, index } of plain.matchAll(WORD)) {
    const level = levels.at(-1);
    if (word === '(')
      levels.push({ from: isGroup(plain, index) ? index + 1 : null, between: false, alternative: false });
    else if (word === ')') {
      close(level, index);
      if (levels.length > 1) levels.pop();
    } else if (/^between$/i.test(word)) level.between = true;
    else if (/^and$/i.test(word) && level.between) level.between = false;
    else if (/^from$/i.test(word) && /\bdistinct\s+$/i.test(plain.slice(0, index))) continue;
    else if (CLOSES.test(word) || OPENS.test(word)) {
      close(level, index, word);
      if (OPENS.test(word)) level.from = index + word.length;
    }
  }
  close(levels.at(-1), plain.length);
  return found;
}

/** Of `$1 is null or tenant = $1` the whole is what keeps tenants apart. */
function kindOf(condition, alternative) {
  if (!alternative && /tenant|company/i.test(condition)) return 'sql tenant';
  return /token/i.test(condition) ? 'sql token' : 'sql condition';
}

/** A parenthesis around conditions, not around arguments or a statement. */
function isGroup(plain, index) {
  return (
    /\b(?:where|and|or|on|not|when)\s*$/i.test(plain.slice(0, index)) &&
    !/^\(\s*(?:select|with)\b/i.test(plain.slice(index))
  );
}

/** A part of a statement that is a condition from its first word. */
function leading(plain) {
  return /^\s*[\w.]+ (?:=|<|>|is |in )/i.test(plain) &&
    !/^\s*(?:select|update|insert|delete|with|set)\b/i.test(plain)
    ? 0
    : null;
}

/** One of several assignments is left out; those with parameters would leave one without a type. */
function assignments(plain) {
  const found = [];
  for (const { index, 0: words } of plain.matchAll(
    /(?<=\bset\s)[^;]*?(?=\b(?:where|from|returning)\b|$)/gi,
  )) {
    const parts = [];
    let depth = 0;
    let from = 0;
    for (let i = 0; i <= words.length; i++) {
      if (words[i] === '(') depth++;
      if (words[i] === ')') depth--;
      if (i === words.length || (words[i] === ',' && depth === 0)) {
        parts.push({ from, to: i });
        from = i + 1;
      }
    }
    for (const { from: a, to: b } of parts.slice(1)) {
      const part = words.slice(a, b);
      if (/\$\d/.test(part) || !/^\s*\w+ = /.test(part)) continue;
      found.push({ kind: 'sql step', start: index + a - 1, end: index + a + part.trimEnd().length, to: '' });
    }
  }
  return found;
}
