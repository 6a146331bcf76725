import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef, useState } from 'react';
import { completion } from './completion.ts';
import { editorTheme } from './theme.ts';

type JsonEditorProps = {
  /**
   * What it begins with. From then on the text is the editor's own: one that came back from the page might be older than what
   * was written meanwhile. Another `key` makes the editor begin anew.
   */
  initial: string;
  onChange(value: string): void;
  /** What is written here, for those who do not see where it stands. */
  label: string;
  isReadOnly?: boolean;
  /** A JSON Schema of what is written, whose names and values are offered; undefined until it has come. */
  schema: unknown;
  onFocus?(): void;
};

/** An editor of JSON that points at what is no JSON. Escape gives Tab back to the page. */
export default function JsonEditor(props: JsonEditorProps) {
  const { initial, onChange, label, isReadOnly = false, schema, onFocus } = props;
  const host = useRef<HTMLDivElement>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const focus = useRef(onFocus);
  focus.current = onFocus;
  const text = useRef(initial);
  const [known] = useState(() => Promise.withResolvers<unknown>());
  useEffect(() => {
    if (schema !== undefined) known.resolve(schema);
  }, [schema, known]);

  useEffect(() => {
    if (!host.current) return;
    // In a shadow the editor's styles are sheets of its own, which the policy of the page allows.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text.current,
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          json(),
          linter(jsonParseLinter()),
          lintGutter(),
          ...(isReadOnly ? [] : [completion(known.promise)]),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          editorTheme,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.focusChanged && update.view.hasFocus) focus.current?.();
            if (!update.docChanged) return;
            text.current = update.state.doc.toString();
            change.current(text.current);
          }),
        ],
      }),
    });
    return () => made.destroy();
  }, [label, isReadOnly, known]);

  return <div ref={host} className="h-full min-h-60 overflow-hidden" />;
}
