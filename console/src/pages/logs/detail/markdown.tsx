import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode, useMemo } from 'react';

/**
 * What a model wrote, which nobody trusts: elements are made of what the lexer read, and HTML in it stays text. Links lead
 * nowhere by themselves and show their address; images are not loaded.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexer(text, { gfm: true, breaks: true }), [text]);
  return <div className="flex flex-col gap-2 break-words">{tokens.map(block)}</div>;
}

function block(token: Token, index: number): ReactNode {
  switch (token.type) {
    case 'space':
      return null;
    case 'heading':
      return (
        <p key={index} className="font-[600]">
          {inline(token.tokens)}
        </p>
      );
    case 'code':
      return (
        <pre key={index} className="mono overflow-x-auto rounded-control bg-sunken p-2">
          {token.text}
        </pre>
      );
    case 'blockquote':
      return (
        <blockquote key={index} className="border-l-2 border-strong pl-3 text-muted">
          {(token.tokens ?? []).map(block)}
        </blockquote>
      );
    case 'list':
      return <List key={index} list={token as Tokens.List} />;
    case 'hr':
      return <hr key={index} className="border-line" />;
    case 'paragraph':
    case 'text':
      return <p key={index}>{'tokens' in token && token.tokens ? inline(token.tokens) : token.text}</p>;
    default:
      // Tables, HTML and whatever else is written as it came.
      return (
        <p key={index} className="whitespace-pre-wrap">
          {token.raw.trimEnd()}
        </p>
      );
  }
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no names, and do not move
    <li key={index}>{item.tokens.map(block)}</li>
  ));
  return list.ordered ? (
    <ol className="list-decimal pl-5">{items}</ol>
  ) : (
    <ul className="list-disc pl-5">{items}</ul>
  );
}

const inline = (tokens: Token[] = []): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: words have no names, and do not move
  tokens.map((token, index) => <Fragment key={index}>{word(token)}</Fragment>);

function word(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <del>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code className="rounded-[4px] bg-sunken px-1">{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return (
        <span className="underline decoration-dotted" title={token.href}>
          {inline(token.tokens)} <span className="text-meta text-faint">({hostOf(token.href)})</span>
        </span>
      );
    case 'image':
      return (
        <span className="rounded-[4px] border border-line px-1 text-meta text-muted" title={token.href}>
          image, not loaded: {hostOf(token.href)}
        </span>
      );
    case 'text':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : unescaped(token.text);
    default:
      return token.raw;
  }
}

const hostOf = (href: string): string => (URL.canParse(href) ? new URL(href).host || 'data' : href);

const characters: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};

/** The lexer writes some characters as HTML would have them; here they become text. */
const unescaped = (text: string): string =>
  text.replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => characters[entity] ?? entity);
