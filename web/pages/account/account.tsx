import { useState } from 'preact/hooks'
import { shownDay, shownTime } from '../../components/formats.ts'
import { reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { goTo } from '../../lib/router.ts'
import { accountTexts } from '../../messages/account/texts.ts'
import { language, languages } from '../../messages/messages.ts'
import { session, signOut } from '../../session/session.ts'
import { Factors } from './factors.tsx'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { Tokens } from './tokens.tsx'

/** The current user: password, second factors, sessions, tokens, language. */
export function Account() {
  const texts = accountTexts.value
  const who = session.value
  const [isBusy, setBusy] = useState(false)
  const leave = async (): Promise<void> => {
    setBusy(true)
    try {
      await signOut(() => goTo('/', { isReplaced: true }))
    } catch (error) {
      say(reasonOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="stack s5 narrow">
      <div class="head">
        <div>
          <h1>{texts.title}</h1>
          <p class="dim" dir="auto">
            {who != null && texts.signedInAs(who.user, who.role)}{' '}
            {who?.expires !== undefined &&
              texts.until(`${shownDay(who.expires)}, ${shownTime(new Date(who.expires))}`)}
          </p>
        </div>
        <div class="acts">
          <button type="button" class="btn" disabled={isBusy} onClick={() => void leave()}>
            {texts.signOut}
          </button>
        </div>
      </div>
      <Password />
      <Factors />
      <Sessions />
      <Tokens />
      <section class="panel">
        <header>
          <h2>{texts.language}</h2>
          <fieldset class="seg" aria-label={texts.language}>
            {languages.map((one) => (
              <button
                key={one}
                type="button"
                lang={one}
                aria-pressed={language.value === one}
                onClick={() => {
                  language.value = one
                }}
              >
                {texts.languages[one]}
              </button>
            ))}
          </fieldset>
        </header>
      </section>
    </div>
  )
}
