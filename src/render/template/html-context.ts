/**
 * Follows HTML as a browser's tokenizer does, to know where a value would stand: text, which attribute, or somewhere
 * no value is safe. Fed with the template's own text only; values are escaped and cannot move it. Elements whose
 * content browsers read by other rules (svg, script, iframe …) are refused, so that the two cannot disagree.
 */
export class HtmlContext {
  private state: State = 'text';
  private tag = '';
  private isEndTag = false;
  private attribute = '';
  /** Of a URL attribute: what stands before, a value as SLOT. Of comments and raw text: the last characters. */
  private before = '';

  /** Throws a sentence about what is not possible here. */
  feed(text: string): void {
    for (const character of text) this.step(character);
  }

  /** How a value that stands here is to be written; throws a sentence where none may. */
  slot(): SlotMode {
    switch (this.state) {
      case 'title':
        this.before = '';
        return 'text';
      case 'text':
        return 'text';
      case 'double':
      case 'single':
        return this.attributeSlot();
      case 'style':
        return 'style';
      case 'tag-open':
        throw new Error('a value cannot stand right after < or </');
      case 'comment':
      case 'markup':
      case 'bogus':
        throw new Error('a value cannot stand inside a comment');
      case 'before-value':
      case 'unquoted':
        throw new Error(`the value of ${this.attribute} needs quotes around it`);
      default:
        throw new Error('a value inside a tag must stand in a quoted attribute');
    }
  }

  /** Equal where two places are the same to everything that follows. */
  fingerprint(): string {
    return [this.state, this.tag, this.isEndTag, this.attribute, this.before].join('\u0000');
  }

  /** For messages. */
  describe(): string {
    if (this.state === 'text') return 'text';
    if (this.state === 'double' || this.state === 'single') return `the value of ${this.attribute}`;
    return this.state === 'comment' ? 'a comment' : `the tag <${this.tag}>`;
  }

  private attributeSlot(): SlotMode {
    const { attribute } = this;
    if (attribute === 'style') return 'style';
    if (this.tag === 'meta') throw new Error('a value cannot stand in <meta>');
    if (TEXT_ATTRIBUTE.test(attribute)) return 'attribute';
    if (!URL_ATTRIBUTE.test(attribute)) throw new Error(`a value cannot stand in the attribute ${attribute}`);
    const { before } = this;
    this.before += SLOT;
    if (before === '') return 'url';
    if (ADDRESS_PREFIX.test(before)) return 'address-part';
    if (SETTLED_PREFIX.test(before)) return 'url-part';
    throw new Error(`${attribute} must begin with http://, https://, mailto:, tel:, cid: or one whole value`);
  }

  private step(character: string): void {
    switch (this.state) {
      case 'text':
        if (character === '<') this.state = 'tag-open';
        return;
      case 'tag-open':
        this.tagOpen(character);
        return;
      case 'markup':
      case 'bogus':
      case 'comment':
        this.comment(character);
        return;
      case 'style':
      case 'title':
        this.rawText(character);
        return;
      case 'double':
      case 'single':
        this.quoted(character);
        return;
      default:
        this.insideTag(character);
        return;
    }
  }

  private tagOpen(character: string): void {
    if (this.before === '</' || LETTER.test(character)) {
      this.isEndTag = this.before === '</';
      this.before = '';
      this.tag = '';
      if (LETTER.test(character)) this.to('tag-name').insideTag(character);
      else this.state = character === '>' ? 'text' : 'bogus';
    } else if (character === '/') this.before = '</';
    else if (character === '!') this.to('markup');
    else if (character === '?') this.to('bogus');
    else this.to('text').step(character);
  }

  private insideTag(character: string): void {
    if (character === '>') {
      this.closeTag();
      return;
    }
    const isSpace = SPACE.test(character);
    switch (this.state) {
      case 'tag-name':
        if (isSpace || character === '/') this.state = 'before-name';
        else this.tag += character.toLowerCase();
        return;
      case 'name':
        if (character === '=') this.state = 'before-value';
        else if (isSpace) this.state = 'after-name';
        else if (character === '/') this.state = 'before-name';
        else this.attribute += character.toLowerCase();
        return;
      case 'after-name':
        if (character === '=') this.state = 'before-value';
        else if (!isSpace) this.to('before-name').insideTag(character);
        return;
      case 'before-value':
        if (isSpace) return;
        this.state = character === '"' ? 'double' : character === "'" ? 'single' : 'unquoted';
        this.before = '';
        return;
      case 'unquoted':
        if (isSpace) this.state = 'before-name';
        return;
      default:
        if (isSpace || character === '/') return;
        this.state = 'name';
        this.attribute = character.toLowerCase();
    }
  }

  private quoted(character: string): void {
    if (character === (this.state === 'double' ? '"' : "'")) {
      this.to('before-name').attribute = '';
      return;
    }
    if (!URL_ATTRIBUTE.test(this.attribute)) return;
    if (this.before === SLOT && !/[/?#]/.test(character))
      throw new Error(`after a value at its beginning, ${this.attribute} can only go on with /, ? or #`);
    // Beyond its beginning only the fact that there is more matters.
    if (this.before.length < 64) this.before += character;
  }

  private closeTag(): void {
    if (!this.isEndTag && REFUSED_ELEMENT.test(this.tag)) throw new Error(`<${this.tag}> is not for email`);
    const isRaw = !this.isEndTag && (this.tag === 'style' || this.tag === 'title');
    this.to(isRaw ? (this.tag as 'style' | 'title') : 'text').attribute = '';
    if (!isRaw) this.tag = '';
    this.isEndTag = false;
  }

  private comment(character: string): void {
    this.before = (this.before + character).slice(-4);
    if (this.state === 'markup') {
      if (this.before === '--') this.to('comment').before = '<!';
      else if (this.before !== '-') this.state = 'bogus';
    }
    if (this.state === 'bogus') {
      if (character === '>') this.to('text');
    } else if (character === '>' && /(?:^<!-?|--!?)>$/.test(this.before)) this.to('text');
  }

  private rawText(character: string): void {
    const end = `</${this.tag}`;
    if (/[\s/>]/.test(character) && this.before === end) {
      this.isEndTag = true;
      this.to('before-name').insideTag(character);
    } else if (character === '<') this.before = '<';
    else if (this.before !== '') this.before = `${this.before}${character.toLowerCase()}`.slice(0, 8);
  }

  private to(state: State): this {
    this.state = state;
    this.before = '';
    return this;
  }
}

/**
 * `url` is a whole address and judged as one; `url-part` and `address-part` (after mailto:, tel:, cid:) are encoded;
 * `style` takes only what was known when the template was compiled.
 */
export type SlotMode = 'text' | 'attribute' | 'url' | 'url-part' | 'address-part' | 'style';

type State =
  | 'text'
  | 'tag-open'
  | 'tag-name'
  | 'before-name'
  | 'name'
  | 'after-name'
  | 'before-value'
  | 'double'
  | 'single'
  | 'unquoted'
  | 'markup'
  | 'bogus'
  | 'comment'
  | 'style'
  | 'title';

const SLOT = '\uE000';
const LETTER = /[a-z]/i;
const SPACE = /[\t\n\f\r ]/;
const URL_ATTRIBUTE = /^(?:href|src|background|cite)$/;
const TEXT_ATTRIBUTE =
  /^(?:alt|title|lang|dir|width|height|align|valign|bgcolor|color|class|id|name|role|summary|abbr|colspan|rowspan|datetime|label|aria-[a-z-]+|data-[a-z-]+)$/;
const REFUSED_ELEMENT =
  /^(?:script|svg|math|iframe|object|embed|applet|base|plaintext|noscript|xmp|noembed|noframes|frameset|template|textarea|select)$/;
const ADDRESS_PREFIX = /^(?:mailto|tel|cid):/i;
const SETTLED_PREFIX = /^(?:https?:\/\/|[/?#](?!\/)|\uE000[/?#])/i;
