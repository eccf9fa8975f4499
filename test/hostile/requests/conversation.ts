import * as fc from 'fast-check';
import { body } from './body.ts';
import { framing, piecesAt } from './framing.ts';
import { headers, method, target, version } from './head.ts';
import { changed, type Edit } from './mutations.ts';
import { mostly, place, places } from './odd.ts';

/** What goes over one connection. */
export interface Conversation {
  /** Requests, as bytes: one a character. */
  readonly messages: readonly string[];
  /** Where it is cut into pieces, from 0 to 1. */
  readonly cuts: readonly number[];
  /** After so many pieces the caller is gone, as one that was killed; undefined where it reads all answers. */
  readonly vanishesAfter?: number | undefined;
}

const lineEnd = mostly('\r\n', ['\n', '\r', '\r\r\n', '\r\n\r\n', '\n\r']);
const whole = fc
  .tuple(method, target, version, headers, body, framing, lineEnd, fc.boolean())
  .map(([verb, to, protocol, others, said, frame, newline, framingFirst]) => {
    const { lines, sent } = frame(said);
    const all = (framingFirst ? [lines, ...others] : [...others, lines]).filter(Boolean);
    return [`${verb} ${to} ${protocol}`, ...all, '', sent].join('\r\n').replace('\r\n', newline);
  });

/** What an edit may put behind a message. */
const followers = [
  `GET / HTTP/1.1\r\nHost: a\r\n\r\n`,
  `POST /public/v1/mirror/campaign/${places.own}/mirror HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${places.key}\r\nContent-Type: application/json\r\nContent-Length: 58\r\n\r\n{"mirror_endpoint":"https://one.example/smuggled-in-here"}`,
];
const unchanged: Edit = (text) => text;
const message = fc
  .tuple(whole, fc.oneof({ weight: 5, arbitrary: fc.constant(unchanged) }, changed(followers)))
  .map(([text, edit]) => edit(text));

export const conversation: fc.Arbitrary<Conversation> = fc.record({
  messages: fc.oneof(
    { weight: 3, arbitrary: message.map((only) => [only]) },
    fc.array(message, { minLength: 2, maxLength: 4 }),
  ),
  cuts: mostly<readonly number[]>([], [], fc.array(place, { maxLength: 4 })),
  vanishesAfter: mostly<number | undefined>(undefined, [], fc.nat(4)),
});

/** What is known when it is sent. */
export interface Known {
  readonly key: string;
  readonly own: number;
  readonly foreign: number;
}

/** The bytes of a conversation, in its pieces. */
export function piecesOf({ messages, cuts }: Conversation, known: Known): Buffer[] {
  const text = messages
    .join('')
    .replaceAll(places.key, known.key)
    .replaceAll(places.own, String(known.own))
    .replaceAll(places.foreign, String(known.foreign));
  return piecesAt(cuts, text).map((piece) => Buffer.from(piece, 'latin1'));
}
