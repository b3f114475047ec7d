import { run } from '../setup/run.mjs'

/** Returns the time of files in packages, in seconds since 1970: `SOURCE_DATE_EPOCH`, or the time of the last commit. */
export function sourceDateEpoch(root) {
  const { SOURCE_DATE_EPOCH: given } = process.env
  if (given !== undefined) return given
  const { ok, output } = run('git', ['log', '-1', '--format=%ct'], { cwd: root })
  return ok ? output.trim() : '0'
}
