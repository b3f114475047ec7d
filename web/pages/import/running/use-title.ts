import { useEffect } from 'preact/hooks'

/** Puts a text before the title of the window, as long as it is shown. */
export function useTitle(text: string | undefined): void {
  useEffect(() => {
    if (text === undefined) return undefined
    const before = document.title
    document.title = `${text} · ${before}`
    return () => {
      document.title = before
    }
  }, [text])
}
