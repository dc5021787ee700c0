import { route, type Route } from '../route.ts'

/** An ICO file with one PNG of 32 by 32 pixels: the book of `brandMark`. */
const icon = Buffer.from(
  [
    'AAABAAEAICAAAAEAIADBAgAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAnZJREFUeJzsl8tr',
    'U1EQxr+5TUtiqi0tpZbia2NjU0wtgjUgunTjqkpSKBqXrlwI4oNau1G07tyJokhBQ9o/wJ0iirhJA6WKCqKIWqQRJY82',
    'jzvOOWKtsb25JvZm0x9cmJx7mG/OzDmTe1wowRNK9BP4OAE7wNwNolZUA/Oc+JhhxgwT3clGA8+WvqZFK/LW7cl8GxXx',
    'U0RUh1WAmYsMupZtLgzjxu78YgDe0HQAXIjKry44AIMThPpj6WhPwlADJhcGnRJXECigNZXtCceDxPRYUmHAQVjWTXD1',
    'GWTSUafFFUqTuXDCJVYvaoRseJ9BzD7UCiKfZICarOacO7xx2fEPcznEnnxFnUEYCDajs6Vh2XmXJj7DgnbyhqbYakbq',
    'fmDFd09fptHoNrBzq2fFOY3hBKxwoQr2bPdKBlAVtgOYfj+PZKqg7S1tDfoxfvdRvPuS04+idb0L/k1uW35tBzBy7xMe',
    'xL9r++xAO84f+XNvjD9M4vLkrLYP9m3AxOltdtzaD2B0sAMnD7VpW62+lKEDLdjnb9S2yoBdbM/s2Wyd0l9l+VdsB3BB',
    'SvD8VVrbQ/tb9IqXokow/iip7f4uLy6GO+y4db4Fl1JVH5CPDOljsKRcH6h5BtYCqHkAZY+h1SYai3SiaDLO3P2ISil7',
    'Cqxw15MEAOSLFbvQJZhFhcznuSpxpS3fZZhCjVDahsRfuwBE2zCLfEsiycFhRDNlcv1NY2Fy12tppyNwGCYeXoj53+g+',
    'kDYDY5KOOBxC1T5r9l5X9s9GFKNixtMUlCN9RV0gsUoo36JxNbOuaa/SVGN//Zfp6zlzRMrS/V+v58ALuRnfLr2e/wAA',
    'AP//rTLJvwAAAAZJREFUAwChUOBpRRkRrgAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
)

export const iconRoute = (): Route =>
  route({
    method: 'GET',
    path: '/favicon.ico',
    access: 'OPEN',
    group: 'Pages',
    summary: 'The icon of the pages',
    success: 'raw',
    replyTypes: ['image/x-icon'],
    handle: () => ({
      type: 'image/x-icon',
      body: icon,
      headers: { 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' },
    }),
  })
