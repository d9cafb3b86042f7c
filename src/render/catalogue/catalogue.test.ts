import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../check-catalogue.js';
import { createRenderer, languagesOf } from '../create-renderer.js';
import type { EmailType } from '../define-email.js';
import { createTemplateFiles, flattenTexts, type TemplateFiles } from '../template-files.js';
import { catalogue } from './catalogue.js';

const types: readonly EmailType[] = catalogue;
const files = createTemplateFiles();

describe('the catalogue', () => {
  it('every type in every language → compiles, shows its sample, and no text is missing or unused', () => {
    expect(checkCatalogue(types, files)).toEqual([]);
  });

  it('English, German and Korean → are there', () => {
    expect(files.languages()).toEqual(expect.arrayContaining(['en', 'de', 'ko']));
  });

  it('every template file → belongs to a type, a layout or the kit', () => {
    const known: string[] = types.flatMap(({ portal, type }) => [
      `${portal}/${type}.html`,
      `${portal}/${type}.txt`,
    ]);
    const portals = readdirSync('templates').filter((folder) => folder !== 'kit');
    const found = portals.flatMap((portal) =>
      readdirSync(`templates/${portal}`).map((name) => `${portal}/${name}`),
    );
    const own = found.filter((path) => !/\/(?:brand\.json|layout\.(?:html|txt))$/.test(path));
    expect(own.filter((path) => !known.includes(path))).toEqual([]);
  });

  describe.each(types.map((type) => [type.type, type] as const))('%s', (_, type) => {
    it.each(languagesOf(type, files))('in %s → subject, a whole document and plain text', (lang) => {
      const renderer = createRenderer({ files, appUrl: null });
      const content = renderer.render({ type, lang, data: renderer.checkData(type, type.sample) });
      expect(content.subject.length).toBeGreaterThan(3);
      expect(content.html).toMatch(
        /^\s*<!DOCTYPE html>[\s\S]*<html lang="[\s\S]*<title>[^<]+<\/title>[\s\S]*<\/html>\s*$/,
      );
      expect(content.html.length).toBeLessThan(102 * 1024);
      expect(content.html + content.text + content.subject).not.toMatch(
        /\{\{|\}\}|undefined|\[object|[\uE000\uE001]/,
      );
      expect(content.text).not.toMatch(/<[a-z]|\n\n\n|[ \t]\n/);
    });
  });
});

describe('the check', () => {
  const edit = (language: string, change: (texts: Map<string, string>) => void): TemplateFiles => ({
    ...files,
    texts(asked) {
      const texts = new Map(files.texts(asked));
      if (asked === language) change(texts);
      return texts;
    },
  });

  it('a text missing in one language → named', () => {
    const found = checkCatalogue(
      types,
      edit('de', (texts) => texts.delete('password_reset.ignore')),
    );
    expect(found).toEqual(['de.json: password_reset.ignore is missing']);
  });

  it('a text missing in English → every type that needs it is named', () => {
    const found = checkCatalogue(
      types,
      edit('en', (texts) => texts.delete('password_reset.ignore')),
    );
    expect(found.join('\n')).toContain(
      'templates/app/password_reset.html line 8: there is no text "password_reset.ignore"',
    );
  });

  it('a text nobody uses, or one that asks for other values → named', () => {
    const unused = checkCatalogue(
      types,
      edit('ko', (texts) => texts.set('left.over', 'x')),
    );
    expect(unused).toEqual(['ko.json: left.over is not used by any template']);
    const other = checkCatalogue(
      types,
      edit('ko', (texts) => texts.set('hub_welcome.title', '{nmae}')),
    );
    expect(other.join('\n')).toContain('the text needs nmae, which is not given');
    const fewer = checkCatalogue(
      types,
      edit('ko', (texts) => texts.set('hub_welcome.title', 'x')),
    );
    expect(fewer).toEqual(['ko.json: hub_welcome.title uses {} where English uses {name}']);
  });

  it('a text that is no ICU message → named', () => {
    const found = checkCatalogue(
      types,
      edit('de', (texts) => texts.set('hub_welcome.title', '{name')),
    );
    expect(found[0]).toContain('hub_welcome in de: templates/hub/hub_welcome.html line 3');
  });

  it('a sample that does not fit → named', () => {
    const broken = { ...types[0]!, sample: {} };
    expect(checkCatalogue([broken, ...types.slice(1)], files).join('\n')).toContain('data.name is missing');
  });

  it('a template that needs a field the data may lack → named', () => {
    const meeting = types.find(({ type }) => type === 'meeting_scheduled')!;
    const content = { subject: 'x', html: '<p>{{location}}</p>' };
    const found = checkCatalogue(
      [{ ...meeting, content }, ...types.filter((type) => type !== meeting)],
      files,
    );
    expect(found[0]).toContain('meeting_scheduled in de: data.location is missing');
  });

  it('a locale file with a list → refused', () => {
    expect(() => flattenTexts({ a: { b: ['x'] } }, 'xx.json')).toThrow('xx.json: a.b is neither');
  });
});
