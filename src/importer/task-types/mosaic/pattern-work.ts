import { createContext, Script } from 'node:vm'
import { ownCpuTime } from '../../../core/time/cpu-time.ts'
import { serveWork } from '../../../core/workers/serve-work.ts'

export interface PatternOrder {
  pattern: string
  names: string[]
  /** Maximum CPU time per name. */
  limitMs: number
}

export type PatternReport = { texts: (string | undefined)[] } | { slowName: string }

/** Returns the concatenated groups that matched, or the whole match if the pattern has no groups. */
function textOf(match: RegExpExecArray | null): string | undefined {
  if (match === null) return undefined
  return match.length === 1 ? match[0] : [...match].slice(1).join('')
}

const handlers = {
  matchAll: ({ pattern, names, limitMs }: PatternOrder): PatternReport => {
    const context = createContext({ expression: new RegExp(pattern), name: '' })
    const script = new Script('expression.exec(name)')
    const match = (name: string): RegExpExecArray | null => {
      context.name = name
      for (let timeout = limitMs; ; timeout *= 2) {
        const startMs = ownCpuTime()
        try {
          return script.runInContext(context, { timeout }) as RegExpExecArray | null
        } catch (error) {
          // The timeout measures elapsed time: a thread that got little CPU time is given more.
          if (ownCpuTime() - startMs >= limitMs) throw error
        }
      }
    }
    const texts: (string | undefined)[] = []
    for (const name of names) {
      try {
        texts.push(textOf(match(name)))
      } catch {
        return { slowName: name }
      }
    }
    return { texts }
  },
}

/** Operations of the pattern worker. */
export type PatternWork = typeof handlers

serveWork<PatternWork>(handlers)
