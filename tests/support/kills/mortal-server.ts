import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProtocolStep } from '../../../src/core/process/protocol-steps.ts'
import type { TestServer } from '../server.ts'
import { startServer } from '../server.ts'
import type { Cleanup } from '../terrane-process.ts'
import { until } from '../until.ts'

const preload = new URL('./die-at-step.ts', import.meta.url).href
/** By then the work that a start does beyond becoming ready has ended. */
const startedMs = 1500

/** A server that dies at named steps and is started again over the same data. */
export class MortalServer {
  readonly #t: Cleanup
  readonly #dataDir: string
  readonly #env: Record<string, string>
  readonly #file: string
  #server: TestServer | undefined

  constructor(t: Cleanup, dataDir: string, env: Record<string, string>) {
    this.#t = t
    this.#dataDir = dataDir
    this.#file = join(dataDir, 'deadly-step')
    this.#env = { ...env, DEADLY_STEP_FILE: this.#file, NODE_OPTIONS: `--import=${preload}` }
  }

  get now(): TestServer {
    if (this.#server === undefined) throw new Error('The server was not started')
    return this.#server
  }

  /** Starts it; where a step is given and the start comes to it, it dies there and is started once more. */
  async start(step?: ProtocolStep): Promise<void> {
    if (step !== undefined) writeFileSync(this.#file, step)
    try {
      this.#server = await startServer(this.#t, this.#dataDir, this.#env)
      if (step === undefined) return
      await this.#waitForDeath(startedMs)
      if (existsSync(this.#file)) {
        rmSync(this.#file)
        return
      }
    } catch (error) {
      if (step === undefined || existsSync(this.#file)) throw error
    }
    await this.#server?.process.ended
    this.#server = await startServer(this.#t, this.#dataDir, this.#env)
  }

  /** Does something in which the server dies at a step; false where it did not come to that, and lives. */
  async dieAt(step: ProtocolStep, work: () => Promise<unknown>): Promise<boolean> {
    writeFileSync(this.#file, step)
    await work().catch(() => undefined)
    await this.#waitForDeath(startedMs)
    if (existsSync(this.#file)) {
      rmSync(this.#file)
      return false
    }
    await this.now.process.ended
    return true
  }

  /** Starts it where a job of an earlier server goes on and comes to a step; it dies there. */
  async startAndDieAt(step: ProtocolStep): Promise<void> {
    writeFileSync(this.#file, step)
    try {
      this.#server = await startServer(this.#t, this.#dataDir, this.#env)
    } catch (error) {
      if (existsSync(this.#file)) throw error
      return
    }
    await until(() => !existsSync(this.#file))
    await this.#server.process.ended
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
  }

  /** Every step that any of its servers has come to. */
  passedSteps(): Set<string> {
    const path = `${this.#file}.passed`
    return new Set(existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [])
  }

  async #waitForDeath(ms: number): Promise<void> {
    const deadline = performance.now() + ms
    while (existsSync(this.#file) && performance.now() < deadline) await sleep(20)
  }
}
