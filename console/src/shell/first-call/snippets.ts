export type Language = 'curl' | 'python' | 'node' | 'claude';

export const languages: Readonly<Record<Language, string>> = {
  curl: 'curl',
  python: 'Python',
  node: 'Node',
  claude: 'Claude Code',
};

/** A program that makes one call, whole, to be pasted. */
export function snippet(language: Language, base: string, secret: string, model: string): string {
  switch (language) {
    case 'curl':
      return [
        `curl ${base}/chat/completions \\`,
        `  -H 'authorization: Bearer ${secret}' \\`,
        `  -H 'content-type: application/json' \\`,
        `  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
      ].join('\n');
    case 'python':
      return [
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url="${base}", api_key="${secret}")`,
        'answer = client.chat.completions.create(',
        `    model="${model}",`,
        '    messages=[{"role": "user", "content": "Hello"}],',
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n');
    case 'node':
      return [
        "import OpenAI from 'openai';",
        '',
        `const client = new OpenAI({ baseURL: '${base}', apiKey: '${secret}' });`,
        'const answer = await client.chat.completions.create({',
        `  model: '${model}',`,
        "  messages: [{ role: 'user', content: 'Hello' }],",
        '});',
        'console.log(answer.choices[0].message.content);',
      ].join('\n');
    case 'claude':
      return [
        `export ANTHROPIC_BASE_URL=${base.replace(/\/v1$/, '')}`,
        `export ANTHROPIC_AUTH_TOKEN=${secret}`,
        `export ANTHROPIC_MODEL=${model}`,
        'claude',
      ].join('\n');
  }
}

/** Where programs call: beside the console, whatever is before it in the address. */
export const callAddress = (): string => new URL('../v1', document.baseURI).href;
