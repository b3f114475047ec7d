import { patienceMs } from '../until.ts'
import type { MatrixModel, Outcome } from './expected-outcome.ts'
import type { SentRequest } from './matrix-requests.ts'
import type { HeaderedCaller } from './matrix-world.ts'
import { matrixLayers, secretText } from './matrix-world.ts'

interface Reply {
  status: number
  text: string
  headers: Record<string, string>
  code: string
}

/** Headers with ids and times. */
const ownHeaders = new Set([
  'date',
  'x-request-id',
  'traceparent',
  'server-timing',
  'connection',
  'keep-alive',
])

let sent = 0
/** An address of its own for each request, so that refused ones do not slow down others. */
function nextAddress(): string {
  sent += 1
  return `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`
}

async function send(
  server: { url: string },
  { method, body, contentType }: SentRequest,
  url: string,
  headers: Record<string, string>,
): Promise<Reply> {
  const reply = await fetch(`${server.url}${url}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
    headers: {
      ...headers,
      'x-forwarded-for': nextAddress(),
      ...(method === 'PUT' || method === 'DELETE' ? { 'if-match': '"none"' } : {}),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body }),
  })
  const isEndless = reply.headers.get('content-type')?.includes('event-stream') === true
  if (isEndless) await reply.body?.cancel()
  const text = isEndless ? '' : await reply.text()
  const code = /json/.test(reply.headers.get('content-type') ?? '') && reply.status >= 400 ? codeOf(text) : ''
  const kept = [...reply.headers].filter(([name]) => !ownHeaders.has(name))
  return { status: reply.status, text, headers: Object.fromEntries(kept), code }
}

function codeOf(text: string): string {
  try {
    return String(Object(JSON.parse(text)).code ?? '')
  } catch {
    return ''
  }
}

function isException({ status, text }: Reply): boolean {
  return status >= 400 || /<(ows:)?(ServiceException|ExceptionReport)/.test(text)
}

/** True if a reply is the reply to the same request for something absent, but for the names. */
function isSame(reply: Reply, absent: Reply, [present, missing]: SentRequest['words']): boolean {
  const plain = (text: string): string => text.replaceAll(missing, present)
  const written = ({ status, text, headers }: Reply): string =>
    plain(JSON.stringify([status, text, Object.entries(headers).sort()]))
  return written(reply) === written(absent)
}

function brief({ status, code, text }: Reply): string {
  return `${status} ${code || text.slice(0, 160).replaceAll('\n', ' ')}`
}

interface Deps {
  servers: readonly { url: string }[]
  model: MatrixModel
  admin: HeaderedCaller
}

export interface MatrixResult {
  faults: string[]
  sent: number
  /** Requests that an administrator may not do, or that failed. */
  unusable: string[]
}

/** Sends each request as each caller, and compares the answers with the model. */
export async function runMatrix(
  deps: Deps,
  requests: readonly SentRequest[],
  callers: readonly HeaderedCaller[],
): Promise<MatrixResult> {
  const faults: string[] = []
  const unusable: string[] = []
  const before = sent
  const waiting = requests.entries()
  const work = async (): Promise<void> => {
    for (const [index, request] of waiting) {
      const server = deps.servers[index % deps.servers.length] ?? { url: '' }
      const reference = request.isDestructive
        ? undefined
        : await send(server, request, request.url, deps.admin.headers)
      if (reference !== undefined && isUnusable(request, reference))
        unusable.push(`${request.method} ${request.url}: ${brief(reference)}`)
      for (const caller of callersFor(request, callers)) {
        const fault = await findFault(deps, server, request, caller, reference)
        if (fault !== undefined) faults.push(`${request.method} ${request.url} as ${caller.id}: ${fault}`)
      }
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return { faults, unusable, sent: sent - before }
}

/** Operations for everyone may answer 401 to what is not sent here: the code of a sign-in. */
function isUnusable({ need }: SentRequest, { status }: Reply): boolean {
  return status >= 500 || (need.kind !== 'nothing' && (status === 401 || status === 403))
}

/** Public layers and the other workspace are for some callers only: more would repeat the same decisions. */
function callersFor({ target }: SentRequest, callers: readonly HeaderedCaller[]): readonly HeaderedCaller[] {
  const { open, wells } = matrixLayers
  if (target !== open && target !== wells) return callers
  return callers.filter(
    ({ id, token }) => token !== undefined || ['anonymous', 'nobody', 'group-manage', 'staff'].includes(id),
  )
}

async function findFault(
  { model }: Deps,
  server: { url: string },
  request: SentRequest,
  caller: HeaderedCaller,
  reference: Reply | undefined,
): Promise<string | undefined> {
  const expected = model.expected(caller, request)
  if (reference === undefined && expected.includes('permitted')) return undefined
  const reply = await send(server, request, request.url, caller.headers)
  const leak = leakOf(model, caller, request, reply)
  if (leak !== undefined) return `the answer has "${leak}": ${brief(reply)}`
  for (const outcome of expected)
    if (await isOutcome(outcome, { server, request, caller, reply, reference })) return undefined
  return `${brief(reply)}, expected ${expected.join(' or ')}; administrators get ${reference === undefined ? 'what they may' : brief(reference)}`
}

async function isOutcome(
  outcome: Outcome,
  {
    server,
    request,
    caller,
    reply,
    reference,
  }: {
    server: { url: string }
    request: SentRequest
    caller: HeaderedCaller
    reply: Reply
    reference: Reply | undefined
  },
): Promise<boolean> {
  if (outcome === '401') return reply.status === 401
  if (outcome === '403') return reply.status === 403
  if (outcome === 'permitted') return reply.status === reference?.status && reply.code === reference.code
  const [present, missing] = request.words
  const body = request.body?.replaceAll(present || '\0', missing)
  const absent = await send(server, { ...request, body }, request.absentUrl, caller.headers)
  return isException(reply) && ![401, 403].includes(reply.status) && isSame(reply, absent, request.words)
}

/** Returns a text about a layer that the caller may not read. */
function leakOf(
  model: MatrixModel,
  caller: HeaderedCaller,
  { url, body = '' }: SentRequest,
  { text }: Reply,
): string | undefined {
  if (model.canEverything(caller)) return undefined
  for (const target of [matrixLayers.hidden, matrixLayers.wells, matrixLayers.hiddenRelief]) {
    if (caller.isValid && model.can(caller, 'read', target)) continue
    if (!url.includes(target.layer) && !body.includes(target.layer) && text.includes(target.layer))
      return target.layer
  }
  const isSecret = ![matrixLayers.hidden, matrixLayers.wells].some((one) => model.can(caller, 'read', one))
  return (isSecret || !caller.isValid) && text.includes(secretText) ? secretText : undefined
}
