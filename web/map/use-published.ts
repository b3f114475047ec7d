import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { messages } from '../messages/messages.ts'
import { backgroundStyle, type DataStyle, styleCall } from './combined-style.ts'
import { isDark } from './theme.ts'

interface Published {
  background: Awaited<ReturnType<typeof backgroundStyle>>
  /** Undefined without layers. */
  published: DataStyle | undefined
}

/** Loads the base map in the page's theme and language, and the published styles of the layers. */
export function usePublished(
  layers: readonly string[],
  version: number | undefined,
): { known: Published | undefined; error: unknown; again(): void } {
  const [known, setKnown] = useState<Published>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const { locale } = messages.value
  useEffect(() => {
    const asking = new AbortController()
    const { signal } = asking
    const none = Promise.resolve(undefined)
    Promise.all([
      backgroundStyle({ isDark: isDark.value, language: locale }, signal),
      layers.length === 0 ? none : call<DataStyle>(styleCall(layers, version), signal),
    ]).then(
      ([background, published]) => {
        setError(undefined)
        setKnown({ background, published })
      },
      (reason: unknown) => {
        if (!signal.aborted) setError(reason)
      },
    )
    return () => asking.abort()
  }, [layers.join(','), version, isDark.value, locale, tries])
  return { known, error, again: () => setTries(tries + 1) }
}
