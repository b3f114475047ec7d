import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { invalid } from '../core/errors/errors.ts'

/** Longer passwords are judged by their start: the estimate takes quadratic time. */
const maxChars = 64

let estimator: ZxcvbnFactory | undefined

/**
 * Throws `Failure` (`weak-password`) for a password whose zxcvbn score is below `least`, from 0 (any) to 4.
 * `words` are texts that an attacker would try first, such as the user's name.
 */
export function requireStrength(password: string, least: number, words: readonly string[] = []): void {
  if (least === 0) return
  // The dictionaries take 100 ms to load, which most starts never need.
  estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  const { score } = estimator.check(password.slice(0, maxChars), ['terrane', ...words])
  if (score >= least) return
  throw invalid(
    'weak-password',
    'The password is easy to guess: use several unusual words, or a longer one from a password manager',
  )
}
