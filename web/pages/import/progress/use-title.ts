import { useEffect } from 'preact/hooks'

/** Puts a text before the window title while it is shown. */
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
