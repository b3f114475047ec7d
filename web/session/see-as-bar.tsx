import { useEffect } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { messages } from '../messages/messages.ts'
import { seenSubject, stopSeeing, watchSubject } from './see-as.ts'

/** Tells whose view the pages show, and ends it. */
export function SeeAsBar() {
  const texts = messages.value.seeAs
  const subject = seenSubject.value
  useEffect(() => watchSubject(), [])
  if (subject === undefined) return null
  const { kind, name } = subject
  return (
    <section class="see-as" aria-label={texts.title}>
      <Icon name="eye" />
      <p role="status">
        <b dir="auto">{texts.now[kind](name)}</b> {texts.readOnly}
      </p>
      <button type="button" class="btn" onClick={stopSeeing}>
        {texts.stop}
      </button>
    </section>
  )
}
