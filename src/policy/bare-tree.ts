import type { DefaultTreeAdapterTypes, Token, TreeAdapter, TreeAdapterTypeMap } from 'parse5';

/**
 * What a parser asks of a tree to know how to read on: the name, namespace and attributes of the elements that are
 * open. Where an element stands is not kept, and of text only what a style element holds, so that reading takes no
 * longer for what a tree would make expensive (moving many children, adding to a long list of attributes).
 */
export interface BareElement {
  tagName: string;
  namespaceURI: Namespace;
  attrs: Token.Attribute[];
  /** The text of a style element. */
  css: string;
}

export type BareTree = TreeAdapterTypeMap<
  BareElement,
  BareElement,
  BareElement,
  BareElement,
  BareElement,
  BareElement,
  BareElement,
  BareElement,
  BareElement,
  BareElement
>;

/** One for each document, since whether it is in quirks mode is part of it. */
export function createBareTree(): TreeAdapter<BareTree> {
  let mode = 'no-quirks' as DefaultTreeAdapterTypes.Document['mode'];
  const newNode = (): BareElement => ({ tagName: '', namespaceURI: NO_NAMESPACE, attrs: [], css: '' });
  const insertText = (parent: BareElement, text: string) => {
    if (parent.tagName === 'style') parent.css += text;
  };
  return {
    createDocument: newNode,
    createDocumentFragment: newNode,
    createCommentNode: newNode,
    createTextNode: newNode,
    createElement: (tagName, namespaceURI, attrs) => ({ tagName, namespaceURI, attrs, css: '' }),
    getTagName: ({ tagName }) => tagName,
    getNamespaceURI: ({ namespaceURI }) => namespaceURI,
    getAttrList: ({ attrs }) => attrs,
    getTemplateContent: (template) => template,
    getDocumentMode: () => mode,
    setDocumentMode: (_, value) => {
      mode = value;
    },
    insertText,
    insertTextBefore: insertText,
    getChildNodes: () => [],
    getFirstChild: () => null,
    getParentNode: () => null,
    isElementNode: (node): node is BareElement => node.tagName !== '',
    isCommentNode: (_): _ is BareElement => false,
    isTextNode: (_): _ is BareElement => false,
    isDocumentTypeNode: (_): _ is BareElement => false,
    getNodeSourceCodeLocation: () => null,
    getCommentNodeContent: () => '',
    getTextNodeContent: () => '',
    getDocumentTypeNodeName: () => '',
    getDocumentTypeNodePublicId: () => '',
    getDocumentTypeNodeSystemId: () => '',
    ...UNUSED,
  };
}

type Namespace = Parameters<TreeAdapter['createElement']>[1];

const NO_NAMESPACE = '' as Namespace;
const nothing = () => {};
const UNUSED = {
  adoptAttributes: nothing,
  appendChild: nothing,
  insertBefore: nothing,
  detachNode: nothing,
  setDocumentType: nothing,
  setTemplateContent: nothing,
  setNodeSourceCodeLocation: nothing,
  updateNodeSourceCodeLocation: nothing,
};
