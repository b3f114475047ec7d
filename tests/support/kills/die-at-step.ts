// Imported before anything else by a server that is to die at a step of a protocol (`--import`), in each of its threads.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { stepChannel } from '../../../src/core/process/protocol-steps.ts'

const file = process.env['DEADLY_STEP_FILE'] ?? ''

function deadlyStep(): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

subscribe(stepChannel, (step) => {
  appendFileSync(`${file}.passed`, `${String(step)}\n`)
  if (step !== deadlyStep()) return
  rmSync(file)
  process.kill(process.pid, 'SIGKILL')
})
