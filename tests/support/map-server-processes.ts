import { readdirSync, readFileSync } from 'node:fs'

/** Returns the sockets of MapServer processes. */
export function openSockets(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sock'))
}

/**
 * Returns the MapServer processes that this process has started, including ended ones that it has not waited
 * for.
 */
export function mapServers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [head = '', rest = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(/\) /)
        return Number(rest.split(' ')[1]) === process.pid && head.endsWith('(mapserv')
      } catch {
        return false
      }
    })
}
