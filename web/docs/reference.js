// Draws the reference from the OpenAPI document, and signs requests that are tried from the page.
const place = document.getElementById('viewer')
const { sandbox, prefix } = place.dataset
const isSandbox = sandbox === 'true'
const form = document.getElementById('credentials')

const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))

const keyOf = (pem) => {
  const [, text] = /-----BEGIN PRIVATE KEY-----([^-]*)-----END/.exec(pem) ?? []
  if (text === undefined) throw new Error('The key must be PEM, beginning with BEGIN PRIVATE KEY.')
  const bytes = Uint8Array.from(atob(text.replace(/\s/g, '')), (letter) => letter.charCodeAt(0))
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return crypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign'])
}

const signed = async ({ method, url, body, headers }, pem) => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body ?? ''))
  const all = {
    ...headers,
    [`${prefix}-Timestamp`]: new Date().toISOString().slice(0, 19).replace('T', ' '),
    [`${prefix}-Content-Digest`]: `SHA256=${base64(digest)}`,
  }
  const lines = Object.entries(all)
    .map(([name, value]) => [name.toUpperCase(), value])
    .filter(([name]) => name.startsWith(`${prefix.toUpperCase()}-`))
    .map(([name, value]) => `${name}=${value}`)
  const text = [method.toUpperCase(), url, lines.sort().join('&')].join('|')
  const key = await keyOf(pem)
  const signature = await crypto.subtle.sign(key.algorithm, key, new TextEncoder().encode(text))
  return { ...all, Authorization: `RSA-SHA256 ${base64(signature)}` }
}

const withCredentials = async (request) => {
  const url = new URL(request.url, location.href)
  if (!form || !url.pathname.startsWith('/merchant/v1/')) return request
  const { merchant, user, secret, key } = Object.fromEntries(new FormData(form))
  const headers = {
    ...request.headers,
    [`${prefix}-Merchant`]: merchant,
    [`${prefix}-User`]: user,
    Authorization: `SECRET ${secret}`,
  }
  request.url = url.href
  request.headers = key ? await signed({ ...request, url: url.href, headers }, key) : headers
  return request
}

form?.elements.file.addEventListener('change', async ({ target }) => {
  const [file] = target.files
  if (file) form.elements.key.value = await file.text()
})
form?.addEventListener('submit', (event) => event.preventDefault())

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

/** The viewer within our page: no title, no main element, and no links within buttons. */
const fitted = ({ React: { createElement } }) => ({
  components: {
    Fitted: ({ getComponent }) => {
      const parts = ['AuthorizeBtnContainer', 'FilterContainer', 'operations', 'Webhooks']
      return createElement(
        'div',
        { className: 'swagger-ui' },
        createElement(getComponent('SvgAssets')),
        ...parts.map((name) => createElement(getComponent(name, true))),
      )
    },
  },
  wrapComponents: {
    TextArea: (Original) => (given) =>
      createElement(Original, { 'aria-label': 'Body of the request', ...given }),
    DeepLink:
      () =>
      ({ text }) =>
        createElement('span', null, text),
  },
})

SwaggerUIBundle({
  url: '/openapi.json',
  domNode: place,
  deepLinking: true,
  docExpansion: 'list',
  displayRequestDuration: true,
  filter: true,
  syntaxHighlight: false,
  // Asks nobody else whether the document is valid.
  validatorUrl: null,
  supportedSubmitMethods: isSandbox ? ['get', 'put', 'post', 'delete'] : [],
  requestInterceptor: withCredentials,
  plugins: [fitted],
  layout: 'Fitted',
})
