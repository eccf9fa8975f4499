import { longestAddress } from '@campaign-mirror/domain';
import { toJsonSchemaDefs } from '@valibot/to-json-schema';
import { errorAnswer, mirrorAnswer, shownMirror, validationAnswer } from '../answers/answer-schemas.ts';
import { options, type Replies } from '../answers/replies.ts';
import { requestBody } from '../messages/submitted-body.ts';
import { setMirrorRoute } from '../routes/set-mirror-router.ts';
import { answersAnywhere, answersToCall, type DocumentedAnswer, onlyRead } from './documented-answers.ts';
import { documentedHeaders, headerComponents } from './documented-headers.ts';
import { aboutAnswers, aboutCall, aboutKey, addressDescription, addressPattern } from './openapi-texts.ts';

/** The path of the OpenAPI document. */
export const openapiPath = '/public/v1/openapi.json';

/** The version of the program: its first number rises with a change that breaks callers (contract: versions). */
const interfaceVersion = '1.0.0';

const campaign = { $ref: '#/components/parameters/campaign' };

type Json = Readonly<Record<string, unknown>>;

/**
 * The interface as OpenAPI 3.1, built from the schemas and the answers that the route uses.
 * `bodyLimit`: the largest body, in bytes.
 */
export function openapiDocument(replies: Replies, bodyLimit: number): Json {
  return {
    openapi: '3.1.1',
    info: { title: 'Campaign Mirror', version: interfaceVersion, description: aboutAnswers },
    servers: [{ url: '/', description: 'Where this document comes from.' }],
    tags: [
      { name: 'Mirror', description: 'The one call.' },
      { name: 'Document', description: 'This document.' },
    ],
    security: [{ accessKey: [] }],
    paths: {
      [setMirrorRoute]: {
        post: setMirror(replies, bodyLimit),
        options: askedForOptions(replies),
      },
      [openapiPath]: { get: readDocument(replies) },
    },
    components: {
      securitySchemes: {
        accessKey: { type: 'http', scheme: 'bearer', bearerFormat: 'cm_…', description: aboutKey },
      },
      parameters: { campaign: campaignParameter, requestId: requestIdParameter },
      headers: headerComponents(),
      schemas: schemas(),
    },
  };
}

function setMirror(replies: Replies, bodyLimit: number): Json {
  return {
    operationId: 'setMirror',
    tags: ['Mirror'],
    summary: 'Set the mirror of a campaign',
    description: aboutCall,
    parameters: [campaign, { $ref: '#/components/parameters/requestId' }],
    requestBody: {
      required: true,
      description: `At most ${bodyLimit} bytes, in UTF-8, without a content encoding. Other keys are ignored.`,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/MirrorUpdate' },
          example: { mirror_endpoint: 'https://second.example/?click={click_id}' },
        },
      },
    },
    responses: responses(answersToCall(replies)),
  };
}

function askedForOptions(replies: Replies): Json {
  const when =
    'The methods of the path; to a preflight of an origin that the operator allows, what it may send.';
  return {
    operationId: 'setMirrorOptions',
    tags: ['Mirror'],
    summary: 'List the supported methods',
    parameters: [campaign],
    security: [],
    responses: responses([{ name: 'options', when, reply: options('POST') }, ...answersAnywhere(replies)]),
  };
}

function readDocument(replies: Replies): Json {
  const headers = { ETag: '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is"' };
  const { 304: unchanged, ...others } = responses([
    { name: 'unchanged', when: 'It is the one of `If-None-Match`.', reply: { status: 304, headers } },
    onlyRead,
    ...answersAnywhere(replies),
  ]);
  return {
    operationId: 'readDocument',
    tags: ['Document'],
    summary: 'Read this document',
    security: [],
    responses: {
      200: {
        description: 'This document.',
        headers: documentedHeaders(304, [{ status: 304, headers }]),
        content: { 'application/json': { schema: anyDocument } },
      },
      304: unchanged,
      ...others,
    },
  };
}

const anyDocument = {
  type: 'object',
  properties: { openapi: { type: 'string' } },
  required: ['openapi'],
  additionalProperties: true,
};

/** By status. Identical answers are documented once. */
function responses(answers: readonly DocumentedAnswer[]): Record<string, Json> {
  const statuses = [...new Set(answers.map(({ reply }) => reply.status))].sort((one, other) => one - other);
  return Object.fromEntries(
    statuses.map((status) => {
      const these = answers.filter(({ reply }) => reply.status === status);
      return [status, response(status, these)];
    }),
  );
}

function response(status: number, answers: readonly DocumentedAnswer[]): Json {
  const bodies = new Map<string, DocumentedAnswer>();
  for (const answer of answers.toReversed()) {
    if (answer.reply.body !== undefined) bodies.set(String(answer.reply.body), answer);
  }
  const examples = [...bodies]
    .reverse()
    .map(([body, { name, when }]) => [
      name,
      { ...(bodies.size > 1 && { summary: when }), value: JSON.parse(body) },
    ]);
  return {
    description: answers.length === 1 ? answers[0]?.when : answers.map(({ when }) => `- ${when}`).join('\n'),
    headers: documentedHeaders(
      status,
      answers.map(({ reply }) => reply),
    ),
    ...(bodies.size > 0 && {
      content: {
        'application/json': { schema: schemaOf(status), examples: Object.fromEntries(examples) },
      },
    }),
  };
}

function schemaOf(status: number): Json {
  const name = status === 200 ? 'MirrorAnswer' : status === 422 ? 'ValidationError' : 'Error';
  return { $ref: `#/components/schemas/${name}` };
}

function schemas(): Json {
  const definitions = {
    MirrorUpdate: requestBody,
    Mirror: shownMirror,
    MirrorAnswer: mirrorAnswer,
    Error: errorAnswer,
    ValidationError: validationAnswer,
  };
  const made = toJsonSchemaDefs(definitions, {
    target: 'draft-2020-12',
    typeMode: 'output',
    // Only that it is not blank; the pattern says more.
    ignoreActions: ['check'],
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
  const { MirrorUpdate } = made;
  const { mirror_endpoint: endpoint } = MirrorUpdate.properties ?? {};
  const address = { ...Object(endpoint), maxLength: longestAddress, pattern: addressPattern };
  const described = { ...address, description: addressDescription };
  return { ...made, MirrorUpdate: { ...MirrorUpdate, properties: { mirror_endpoint: described } } };
}

const campaignParameter: Json = {
  name: 'campaign',
  in: 'path',
  required: true,
  description:
    'Identifier of the campaign: decimal digits without a sign or a leading zero; anything else is 404.',
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  example: 42,
};

const requestIdParameter: Json = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Your own identifier for the request, which its answer, the log and the history carry.',
  schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' },
};
