import { nameOf } from '../batch/views.ts'
import type { Candidate, Proposal, Task } from '../types.ts'

/** Problems and suggestions for a layer. */
const problemKinds = ['points', 'crs', 'keys', 'stopped', 'rejected', 'unread', 'failed', 'canceled'] as const
type ProblemKind = (typeof problemKinds)[number]

/** Layers of which the same is wrong. */
export interface Problem {
  /** Identifies the problem; used in the address. */
  key: string
  kind: ProblemKind
  tasks: Task[]
  /** The server's own words about the first of them. */
  reason: string | undefined
}

/** The problems of tasks, the commonest of a kind first. */
export function problemsOf(tasks: readonly Task[]): Problem[] {
  const byKey = new Map<string, Problem>()
  for (const task of tasks) {
    const kind = kindOf(task)
    if (kind === undefined) continue
    const reason = messagesOf(task)
    const key = isReported(kind) ? `${kind}-${task.errorCode ?? withoutOwn(task, reason ?? '')}` : kind
    const known = byKey.get(key)
    if (known === undefined) byKey.set(key, { key, kind, tasks: [task], reason })
    else known.tasks.push(task)
  }
  const rank = ({ kind }: Problem): number => problemKinds.indexOf(kind)
  return [...byKey.values()].sort((a, b) => rank(a) - rank(b) || b.tasks.length - a.tasks.length)
}

/** True if layers with this problem are grouped by the server's message. */
const isReported = (kind: ProblemKind): boolean => kind === 'unread' || kind === 'failed'

function kindOf(task: Task): ProblemKind | undefined {
  const { state, errorCode, stopped = [] } = task
  if (pointsIn(task) !== undefined) return 'points'
  if (state === 'NO_CRS') return 'crs'
  if (errorCode === 'no-keys') return 'keys'
  if (state === 'NO_FORMAT' || state === 'BAD_FORMAT' || state === 'NO_BOUNDS') return 'unread'
  if (state === 'CANCELED') return 'canceled'
  if (state !== 'ERROR') return undefined
  if (task.layer === undefined) return 'unread'
  if (stopped.length > 0) return 'stopped'
  return errorCode === 'too-many-rejects' ? 'rejected' : 'failed'
}

/** Returns coordinate columns that were detected and neither accepted nor dismissed. */
export function pointsIn({ proposals = [], transformChain, state }: Task): Proposal | undefined {
  if (state === 'COMPLETE' || (transformChain?.transforms.length ?? 0) > 0) return undefined
  return proposals.find(({ kind }) => kind === 'geometry')
}

function messagesOf({ errorMessage, messages = [] }: Task): string | undefined {
  const [first] = messages
  return errorMessage ?? first?.message ?? first?.text
}

/** Words without what is a layer's own in them: names, texts in quotes, numbers. */
function withoutOwn(task: Task, reason: string): string {
  return [nameOf(task), task.data?.file ?? '']
    .reduce((text, own) => (own === '' ? text : text.replaceAll(own, '')), reason)
    .replaceAll(/"[^"]*"|\d+/g, '')
    .slice(0, 80)
}

type CodedCandidate = Candidate & { srs: string }

/** True if a candidate can be assigned to a layer: a declared definition without a code cannot. */
export function hasCode(candidate: Candidate): candidate is CodedCandidate {
  return candidate.srs !== null
}

/** Coordinate systems that may be those of some tasks, with how many each fits; the likeliest for most first. */
export function candidatesOf(tasks: readonly Task[]): { candidate: CodedCandidate; fits: number }[] {
  const found = new Map<string, { candidate: CodedCandidate; fits: number; weight: number }>()
  for (const { layer } of tasks)
    for (const candidate of (layer?.srsCandidates ?? []).filter(hasCode)) {
      const known = found.get(candidate.srs) ?? { candidate, fits: 0, weight: 0 }
      found.set(candidate.srs, {
        candidate,
        fits: known.fits + 1,
        weight: known.weight + candidate.confidence,
      })
    }
  return [...found.values()].sort((a, b) => b.fits - a.fits || b.weight - a.weight)
}
