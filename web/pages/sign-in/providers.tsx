import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { query } from '../../lib/router.ts'
import { messages } from '../../messages/messages.ts'

interface Provider {
  title: string
  href: string
}

/** Links to the sign-in providers; none where the server has none. */
export function Providers() {
  const texts = messages.value.signIn
  const [providers, setProviders] = useState<Provider[]>([])
  useEffect(() => {
    call<{ signIn: { providers: Provider[] } }>({ path: '/rest/security/sign-in', isSignIn: true })
      .then(({ signIn }) => setProviders(signIn.providers))
      .catch(() => setProviders([]))
  }, [])
  const to = query.value.get('to') ?? '/'
  const failure = query.value.get('failure')
  return (
    <div class="stack s2">
      {failure !== null && (
        <p class="err" role="alert">
          <Icon name="bad" />
          <span>{Object.hasOwn(texts.failures, failure) ? texts.failures[failure] : texts.failed}</span>
        </p>
      )}
      {providers.map(({ title, href }) => (
        <a key={href} class="btn big" href={`${href}?to=${encodeURIComponent(to)}`}>
          {texts.by(title)}
        </a>
      ))}
    </div>
  )
}
