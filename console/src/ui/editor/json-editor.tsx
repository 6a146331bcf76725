import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { editorTheme } from './theme.ts';

type JsonEditorProps = {
  /** What it begins with; later values that differ from what is written replace it. */
  value: string;
  onChange(value: string): void;
  /** What is written here, for those who do not see where it stands. */
  label: string;
  isReadOnly?: boolean;
};

/** An editor of JSON that points at what is no JSON. Escape gives Tab back to the page. */
export default function JsonEditor({ value, onChange, label, isReadOnly = false }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const first = useRef(value);

  useEffect(() => {
    if (!host.current) return;
    // In a shadow the editor's styles are sheets of its own, which the policy of the page allows.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          json(),
          linter(jsonParseLinter()),
          lintGutter(),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          editorTheme,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of(
            (update) => update.docChanged && change.current(update.state.doc.toString()),
          ),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [label, isReadOnly]);

  useEffect(() => {
    const present = view.current?.state.doc.toString();
    if (present === undefined || present === value) return;
    view.current?.dispatch({ changes: { from: 0, to: present.length, insert: value } });
  }, [value]);

  return <div ref={host} className="h-full min-h-60 overflow-hidden" />;
}
