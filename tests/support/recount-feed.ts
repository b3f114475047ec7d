import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { seededRandom } from '../../bench/random.ts'
import type { FeederOrder } from './recount-feeder.ts'

const program = join(import.meta.dirname, 'recount-feeder.ts')

/** Runs the feeder to its end, with `kills` processes before it that are killed somewhere on their way. */
export async function feedWithKills(order: FeederOrder, kills: number): Promise<void> {
  const draw = seededRandom(order.seed)
  for (let kill = 0; kill < kills; kill += 1) await run(order, 5 + Math.floor(draw() * 40))
  await run(order, Number.POSITIVE_INFINITY)
}

/** Kills the process when it has printed so many lines; it is then in the middle of what comes next. */
async function run(order: FeederOrder, linesToLive: number): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors = text(child.stderr)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  let lines = 0
  for await (const _line of createInterface({ input: child.stdout })) {
    lines += 1
    if (lines === linesToLive) child.kill('SIGKILL')
  }
  if ((await ended) !== 0 && lines < linesToLive) throw new Error(`The feeder failed: ${await errors}`)
}
