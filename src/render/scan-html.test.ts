import { expect, test } from 'vitest';
import { endOfStartTag } from './scan-html.js';

test.each([
  ['<html><head><title>a</title>', '<head>'],
  ['<html><HEAD lang="a>b">x', '<HEAD lang="a>b">'],
  ['<!-- <body> --><body\n class=x>y', '<body\n class=x>'],
  ['<style><body></style><p title="<body>"><body>', '<body>'],
  ['<header></header><head/>', '<head/>'],
])('%s → the first start tag of the name itself', (html, tag) => {
  const end = endOfStartTag(html, tag.startsWith('<b') ? 'body' : 'head');
  expect(end).toBe(html.lastIndexOf(tag) + tag.length);
});

test.each(['', '<', '<head', '<header>', '</head>', '<!-- <head>', '<p title="<head>', '<style><head>'])(
  '%s → no such tag',
  (html) => {
    expect(endOfStartTag(html, 'head')).toBe(-1);
  },
);
