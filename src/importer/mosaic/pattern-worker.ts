import { createContext, Script } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'

export interface PatternOrder {
  pattern: string
  names: string[]
  /** For each name. */
  limitMs: number
}

export type PatternReport = { texts: (string | undefined)[] } | { slowName: string }

const { pattern, names, limitMs } = workerData as PatternOrder
const context = createContext({ expression: new RegExp(pattern), name: '' })
const script = new Script('expression.exec(name)')

/** The groups that took part one after the other, or the whole match where the pattern has none. */
function matchedText(name: string): string | undefined {
  context.name = name
  const match = script.runInContext(context, { timeout: limitMs }) as RegExpExecArray | null
  if (match === null) return undefined
  return match.length === 1 ? match[0] : [...match].slice(1).join('')
}

function matchAll(): PatternReport {
  const texts: (string | undefined)[] = []
  for (const name of names) {
    try {
      texts.push(matchedText(name))
    } catch {
      return { slowName: name }
    }
  }
  return { texts }
}

parentPort?.postMessage(matchAll())
