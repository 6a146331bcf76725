import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The editor in the colours of the page; variables reach into its shadow. */
export const editorTheme = [
  EditorView.theme({
    '&': { color: 'var(--text)', backgroundColor: 'var(--sunken)', height: '100%' },
    '.cm-scroller': { font: '12.5px/20px "JetBrains Mono Variable", ui-monospace, monospace' },
    '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
    '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--faint)', border: 'none' },
    '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
    '.cm-cursor': { borderLeftColor: 'var(--accent)' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'color-mix(in oklab, var(--accent) 25%, transparent) !important',
    },
    '.cm-tooltip': {
      backgroundColor: 'var(--surface)',
      border: '1px solid var(--line)',
      color: 'var(--text)',
    },
    '.cm-tooltip.cm-tooltip-autocomplete > ul': {
      font: '12.5px/24px "JetBrains Mono Variable", ui-monospace, monospace',
      // Few enough to be seen at once: the keys move within the text, and a list that scrolls would want some of its own.
      maxHeight: 'none',
      overflow: 'visible',
    },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      backgroundColor: 'var(--tint)',
      color: 'var(--text)',
    },
    '.cm-completionInfo': { font: '12px/16px "Inter Variable", system-ui, sans-serif' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.propertyName, color: 'var(--accent)' },
      { tag: tags.string, color: 'var(--ok)' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
      { tag: tags.punctuation, color: 'var(--muted)' },
    ]),
  ),
];
