import { createContext, Script } from 'node:vm'
import { serveWork } from '../../../lib/workers/serve-work.ts'

export interface PatternOrder {
  pattern: string
  names: string[]
  /** For each name. */
  limitMs: number
}

export type PatternReport = { texts: (string | undefined)[] } | { slowName: string }

/** The groups that took part one after the other, or the whole match where the pattern has none. */
function textOf(match: RegExpExecArray | null): string | undefined {
  if (match === null) return undefined
  return match.length === 1 ? match[0] : [...match].slice(1).join('')
}

const handlers = {
  matchAll: ({ pattern, names, limitMs }: PatternOrder): PatternReport => {
    const context = createContext({ expression: new RegExp(pattern), name: '' })
    const script = new Script('expression.exec(name)')
    const texts: (string | undefined)[] = []
    for (const name of names) {
      context.name = name
      try {
        texts.push(textOf(script.runInContext(context, { timeout: limitMs }) as RegExpExecArray | null))
      } catch {
        return { slowName: name }
      }
    }
    return { texts }
  },
}

/** What the thread of a pattern does. */
export type PatternWork = typeof handlers

serveWork<PatternWork>(handlers)
