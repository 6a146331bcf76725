import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as the server got it. */
export type ReceivedMail = {
  from: string;
  to: string[];
  subject: string;
  head: string;
  text: string;
  user: string | null;
};

export type MailServer = {
  /** With the credential of its one user. */
  url: string;
  received: ReceivedMail[];
  /** What the next recipients are answered, one each; afterwards everybody is accepted. */
  refuseNext(...refusals: { code: number; message: string }[]): void;
  stop(): Promise<void>;
};

/** A real SMTP server on loopback, with authentication and without TLS. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const refusals: { code: number; message: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (password === 'pass-word') done(null, { user: username });
      else done(new Error('This is not the password.'));
    },
    onRcptTo(_address, _session, done) {
      const refusal = refusals.shift();
      if (!refusal) return done();
      done(Object.assign(new Error(refusal.message), { responseCode: refusal.code }));
    },
    onData(stream, { envelope, user }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          ...decoded(Buffer.concat(chunks).toString('utf8')),
          user: typeof user === 'string' ? user : null,
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    url: `smtp://gateway:pass-word@127.0.0.1:${port}`,
    received,
    refuseNext: (...next) => void refusals.push(...next),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The parts of a mail, without the encoding in which they travelled. */
function decoded(mail: string): Pick<ReceivedMail, 'subject' | 'head' | 'text'> {
  const end = mail.indexOf('\r\n\r\n');
  const head = mail.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ');
  const subject = /^Subject: (.*)$/m.exec(head)?.[1] ?? '';
  return {
    head,
    subject: subject
      .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=\s*/g, (_, word: string) => unquoted(word.replaceAll('_', ' ')))
      .trim(),
    text: unquoted(mail.slice(end + 4).replaceAll('=\r\n', '')),
  };
}

const unquoted = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
