import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { invalid } from '../core/errors/errors.ts'

/** Longer passwords are judged by their start: the estimate takes quadratic time. */
const maxChars = 64

let estimator: Promise<ZxcvbnFactory> | undefined

/**
 * Throws `Failure` (`weak-password`) for a password whose zxcvbn score is below `least`, from 0 (any) to 4.
 * `words` are texts that an attacker would try first, such as the user's name.
 */
export async function requireStrength(
  password: string,
  least: number,
  words: readonly string[] = [],
): Promise<void> {
  if (least === 0) return
  estimator ??= loadEstimator()
  const { score } = (await estimator).check(password.slice(0, maxChars), ['terrane', ...words])
  if (score >= least) return
  throw invalid(
    'weak-password',
    'The password is easy to guess: use several unusual words, or a longer one from a password manager',
  )
}

/** The dictionaries take 150 ms to load, which most processes never need. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new Factory({ dictionary, graphs: adjacencyGraphs })
}
