import { Icon } from '../../components/icon.tsx'
import { addressOf } from '../../lib/base.ts'
import { hasPage } from '../../lib/known-pages.ts'
import { homeTexts } from '../../messages/home/texts.ts'
import { messages } from '../../messages/messages.ts'
import { isStaff, session } from '../../session/session.ts'

/** A server without layers: links to the first import, or to sign-in. */
export function Empty() {
  const home = homeTexts.value
  const { shell } = messages.value
  const steps = [
    [home.step1, home.step1Text],
    [home.step2, home.step2Text],
    [home.step3, home.step3Text],
  ] as const
  return (
    <div class="panel emp">
      <div class="stack">
        <h1>{home.empty}</h1>
        {session.value == null ? (
          <>
            <p class="dim">{home.emptyAnonymous}</p>
            <div class="row">
              <a class="btn main big" href={addressOf('/app/sign-in')}>
                {shell.signIn}
              </a>
            </div>
          </>
        ) : (
          <>
            <p class="dim">{home.emptyText}</p>
            {isStaff.value && hasPage('/app/import') && (
              <div class="row">
                <a class="btn main big" href={addressOf('/app/import')}>
                  <Icon name="upload" />
                  {home.import}
                </a>
              </div>
            )}
          </>
        )}
      </div>
      <ol class="three">
        {steps.map(([name, text]) => (
          <li key={name}>
            <b>{name}</b>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
