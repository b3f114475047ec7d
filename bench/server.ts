import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { RestClient } from '../src/cli/rest-client.ts'
import { createRestClient } from '../src/cli/rest-client.ts'
import { basicAuthorization } from '../src/core/network/node-http.ts'
import { defined } from '../src/core/values/defined.ts'

export const benchPassword = 'bench-password'
const millisecondsPerTick = 10

/** Server in a process and with a data directory of its own. */
export interface BenchServer {
  client: RestClient
  url: string
  pid: number
  /** Returns the peak memory of the process so far. */
  peakMegabytes(): number
  /** Returns the processor time of all threads of the server so far. */
  processorMilliseconds(): number
  stop(): Promise<void>
}

export interface BenchServerOptions {
  /** Default: as the server's own default. */
  monitoring?: 'on' | 'off'
  /** Data directory that remains when the server stops; the caller must remove it. */
  data?: string
}

export async function startBenchServer(
  importRoot: string,
  { monitoring, data }: BenchServerOptions = {},
): Promise<BenchServer> {
  const dataDirectory = data ?? mkdtempSync(join(tmpdir(), 'terrane-bench-'))
  const removeData = (): void => {
    if (data === undefined) rmSync(dataDirectory, { recursive: true, force: true })
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'src', 'main.ts'), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TERRANE_DATA: dataDirectory,
      TERRANE_PORT: '0',
      TERRANE_IMPORT_ROOTS: importRoot,
      TERRANE_ADMIN_PASSWORD: benchPassword,
      TERRANE_SAMPLE: 'off',
      TERRANE_LOG: 'error',
      ...defined({ TERRANE_MONITORING: monitoring }),
    },
  })
  const abandon = (): void => {
    child.kill('SIGKILL')
    removeData()
  }
  process.once('exit', abandon)
  const url = await readyUrl(child)
  const client = createRestClient(url, { authorization: basicAuthorization('admin', benchPassword) })
  return {
    client,
    url,
    pid: child.pid ?? 0,
    processorMilliseconds: () => processorMilliseconds(child.pid ?? 0),
    peakMegabytes: () => peakMegabytes(child.pid ?? 0),
    stop: async () => {
      client.close()
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      process.off('exit', abandon)
      removeData()
    },
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  const { stdout } = child
  if (stdout === null) throw new Error('The server has no output')
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The server ended with code ${code}`)))
    createInterface({ input: stdout }).on('line', (line) => {
      const url = /^Terrane is ready at (\S+)/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
}

function peakMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024)
}

function processorMilliseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick
}
