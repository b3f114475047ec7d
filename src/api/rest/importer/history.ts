import type { Static } from 'typebox'
import { Type } from 'typebox'
import { invalid } from '../../../core/errors/errors.ts'
import { foldText } from '../../../core/text/fold-text.ts'
import { type ImportSummary, importStates } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import type { DialectDeps } from './importer-api-deps.ts'
import { parseStates } from './imports.ts'
import { importPath } from './parameters.ts'

const usualLimit = 50
const maxImports = 200
const maxWords = 20
const maxMessages = 500

const HistoryQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Words that must all occur in names of data, files and layers, messages, or the creator; ignores case and accents',
    }),
  ),
  state: Type.Optional(Type.String({ description: 'States of imports, separated by commas' })),
  user: Type.Optional(Type.String({ maxLength: 200, description: 'User who created it' })),
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'Created at or after this instant (RFC 3339)' }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'Created before that' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxImports, default: usualLimit })),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of omitted entries' })),
})

const Count = Type.Integer({ minimum: 0 })
const ByName = Type.Record(Type.String(), Count)
const PastImport = Type.Object({
  id: Type.Integer(),
  href: Type.String(),
  state: Type.Enum([...importStates]),
  created: Type.String(),
  changed: Type.String(),
  user: Type.Optional(Type.String({ description: 'User who created it, if known' })),
  workspace: Type.String(),
  source: Type.Optional(Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) })),
  layers: Type.Array(Type.String(), { description: 'Names of the first layers' }),
  tasks: Type.Record(Type.String(), Count, { description: 'Number of tasks by state' }),
  rowsLoaded: Count,
  rejected: Count,
  messages: Type.Integer({ description: 'Number of messages of the import and its tasks' }),
  message: Type.Optional(
    Type.String({ description: `The first of these messages, up to ${maxMessages} characters` }),
  ),
})

const HistoryReply = Type.Object(
  {
    imports: Type.Array(PastImport),
    total: Type.Integer({ description: 'Number of imports' }),
    offset: Count,
    counts: Type.Object(
      { states: ByName, users: ByName },
      { description: 'Count the imports by state and by creator' },
    ),
  },
  { title: 'ImportHistory' },
)

export const showHistory = operation({
  summary: 'Find imports: by words, state, creator and time, page by page, the newest first',
  description: 'Returns the fields shown in lists. Finished imports are kept for TERRANE_KEEP_IMPORTS days.',
  tags: ['importer'],
  query: HistoryQuery,
  answers: { 200: HistoryReply },
  handle: async ({ importer, dialect }: DialectDeps, request) => {
    const { limit = usualLimit, offset = 0, state } = request.query
    const all = await importer.kept.cards()
    const isMeant = filterOf(request.query, parseStates(state, dialect))
    const found = all.filter(isMeant)
    return {
      imports: found.slice(offset, offset + limit).map((card) => toCardResponse(request, card)),
      total: found.length,
      offset,
      counts: { states: countBy(all, (card) => card.state), users: countBy(all, ({ user }) => user) },
    }
  },
})

function filterOf(
  { q = '', user, from, to }: Static<typeof HistoryQuery>,
  states: readonly string[] | undefined,
): (card: ImportSummary) => boolean {
  const words = foldText(q)
    .split(/\s+/u)
    .filter((word) => word !== '')
    .slice(0, maxWords)
  const [first, end] = [instantOf('from', from), instantOf('to', to)]
  return (card) =>
    (states === undefined || states.includes(card.state)) &&
    (user === undefined || card.user === user) &&
    (first === undefined || card.createdAt >= first) &&
    (end === undefined || card.createdAt < end) &&
    words.every((word) => card.text.includes(word))
}

/** Returns a time in the stored format, whose texts sort by time. */
function instantOf(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const isInstant = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/i.test(text)
  const time = isInstant ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw invalid(
    'invalid-parameter',
    `"${name}" must be an instant such as 2026-01-31T12:00:00Z, found "${text}"`,
  )
}

function countBy(
  cards: readonly ImportSummary[],
  nameOf: (card: ImportSummary) => string | undefined,
): Record<string, number> {
  const counts = new Map<string, number>()
  for (const card of cards) {
    const name = nameOf(card)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return Object.fromEntries(counts)
}

function toCardResponse(request: FastifyRequest, card: ImportSummary) {
  const {
    id,
    state,
    createdAt,
    updatedAt,
    user,
    workspace,
    source,
    layers,
    tasks,
    messages,
    lines: output,
  } = card
  const { rowsLoaded, rejected } = card
  return {
    id,
    href: request.link(importPath(id)),
    state,
    created: createdAt,
    changed: updatedAt,
    workspace,
    layers,
    tasks: { ...tasks },
    rowsLoaded,
    rejected,
    messages,
    user,
    source,
    message: output?.slice(0, maxMessages),
  }
}
