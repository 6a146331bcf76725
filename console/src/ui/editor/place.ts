/** Where in a text of JSON something is being written. */
export type Place = {
  /** Names of members and `null` for a place in a list, from the root to the container. */
  path: readonly (string | null)[];
  /** Names that the object has already before the place; of other containers none. */
  names: readonly string[];
  /** What can stand there: the name of a member, or the value of the member that is named; null for nothing of both. */
  expects: { name: true } | { valueOf: string | null } | null;
  /** Where what is written there begins. */
  from: number;
};

type Container = {
  isList: boolean;
  key: string | null;
  names: string[];
  isAfterColon: boolean;
  isTaken: boolean;
};

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Reads the text up to where something is written, whole or not: what is wrong before it is passed over. */
export function placeIn(before: string): Place {
  const stack: Container[] = [];
  let from = before.length;
  const top = () => stack.at(-1);
  const fill = () => {
    const container = top();
    if (container) container.isTaken = true;
  };
  for (const { 0: token, index } of before.matchAll(TOKEN)) {
    const container = top();
    const isLast = index + token.length === before.length;
    const isClosed = token.length > 1 && token.startsWith('"') && token.endsWith('"');
    if (token === '{' || token === '[')
      stack.push({ isList: token === '[', key: null, names: [], isAfterColon: false, isTaken: false });
    else if (token === '}' || token === ']') {
      stack.pop();
      fill();
    } else if (token === ',') {
      if (container) Object.assign(container, { key: null, isAfterColon: false, isTaken: false });
    } else if (token === ':') {
      if (container) Object.assign(container, { isAfterColon: true, isTaken: false });
    } else if (isLast && !isClosed) {
      from = index;
    } else {
      if (container && !container.isList && !container.isAfterColon) {
        container.key = textOf(token);
        container.names.push(container.key);
      }
      fill();
    }
  }
  const container = top();
  const path = stack.slice(0, -1).map(({ isList, key }) => (isList ? null : key));
  const expects = container ? expectedIn(container) : null;
  return { path, names: container?.names ?? [], expects, from };
}

function expectedIn({ isList, key, isAfterColon, isTaken }: Container): Place['expects'] {
  if (isTaken) return null;
  if (isList) return { valueOf: null };
  return isAfterColon ? { valueOf: key } : { name: true };
}

/** The text of a string as far as it goes. */
function textOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.replaceAll('"', '');
  }
}
