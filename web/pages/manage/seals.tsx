import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Refused } from '../../components/states.tsx'
import { useActing } from '../../components/use-acting.ts'
import { auditTexts } from '../../messages/audit/texts.ts'

type Verification = Calls['GET /rest/audit/verification']['answer']['verification']

const path = '/rest/audit/verification'

/** State of the seals: checked on request, because the check reads all entries. */
export function Seals() {
  const texts = auditTexts.value
  const [found, setFound] = useState<Verification>()
  const { isBusy, error, act } = useActing()
  const verify = (): Promise<boolean> =>
    act(async () => setFound((await call<{ verification: Verification }>({ path })).verification))
  return (
    <section class="panel seals" aria-label={texts.seals}>
      <header>
        <h2>{texts.seals}</h2>
        <CopyAsCurl call={{ path }} />
        <button type="button" class={`btn${isBusy.value ? ' busy' : ''}`} onClick={() => void verify()}>
          {isBusy.value && <span class="spin" aria-hidden="true" />}
          {texts.verify}
        </button>
      </header>
      <div class="body stack s2">
        <p class="dim small">{texts.sealsLead}</p>
        <div role="status">
          {isBusy.value ? <p>{texts.verifying}</p> : found !== undefined && <Result {...found} />}
        </div>
        <Refused error={error.value} />
      </div>
    </section>
  )
}

function Result({ intact, days, entries, lastDay, problems }: Verification) {
  const texts = auditTexts.value
  if (intact && days === 0) return <p>{texts.noSeal}</p>
  if (intact)
    return (
      <p class="st ok sealed">
        <Icon name="ok" />
        <span>
          <b>{texts.intact}</b>: {texts.intactText(days, entries)}
          {lastDay !== undefined && `, ${texts.lastDay(lastDay)}`}
        </span>
      </p>
    )
  return (
    <div class="note bad">
      <Icon name="bad" />
      <div>
        <b>{texts.broken(problems.length)}</b>
        <ul>
          {problems.map(({ day, text }) => (
            <li key={day + text}>
              {day}: {text}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
