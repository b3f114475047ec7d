import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { basename, delimiter, join } from 'node:path'

/** Something the set-up cannot do without; its message is all that is shown. */
export class SetupError extends Error {}

export function say(text) {
  process.stderr.write(`${text}\n`)
}

/** Runs a program without printing; `output` contains both of its output streams. */
export function run(program, args, options = {}) {
  const done = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 << 20, ...options })
  const output = `${done.stdout ?? ''}${done.stderr ?? ''}${done.error ? done.error.message : ''}`
  return { ok: done.status === 0, output }
}

/** Runs the npm that started this script, otherwise the one on the path. */
export function runNpm(args, cwd) {
  const quiet = ['--loglevel=error', '--no-progress', '--no-audit', '--no-fund', '--no-update-notifier']
  const patience = ['--prefer-offline', '--fetch-retries=1', '--fetch-retry-mintimeout=2000']
  const flags = [...quiet, ...patience]
  const cli = process.env.npm_execpath ?? ''
  if (basename(cli) === 'npm-cli.js') return run(process.execPath, [cli, ...args, ...flags], { cwd })
  return run('npm', [...args, ...flags], { cwd })
}

const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/

/**
 * Returns the message for a failure of npm: a missing network connection, or the last lines of npm's own
 * output.
 */
export function npmFailure(what, output) {
  if (offline.test(output)) {
    return new SetupError(
      `${what}: the package registry cannot be reached. Connect this machine to the network (or set npm's "registry" or "proxy"), then run the command again.`,
    )
  }
  return new SetupError(`${what}. npm said:\n${lastLines(output, 12)}`)
}

export function lastLines(text, count) {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.slice(-count).join('\n')
}

/** Returns true if a program is on the path. */
export function hasProgram(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, name)))
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
