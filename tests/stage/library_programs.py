"""Programs that lead deep into the standard library, NumPy and SciPy."""

# ruff: noqa: E501, E701, E702, F841, B, I001
# isort: skip_file

import argparse
import collections
import configparser
import contextlib
import copy
import csv
import dataclasses
import email
import enum
import functools
import heapq
import html.parser
import inspect
import io
import ipaddress
import pickle
import pprint
import re
import tokenize
import typing
import unittest
import xml.dom.minidom

import numpy as np
import scipy.integrate
import scipy.interpolate
import scipy.optimize
import scipy.signal
import scipy.stats
from numpy.polynomial import Polynomial
from numpy.polynomial import polynomial as P

from comparison import program



@program()
def library_pprint(): return pprint.pformat({'a':list(range(30)),'b':{'c':(1,2),'d':{3,4}}},width=30)


@program()
def library_sig():
    return str(inspect.signature(argparse.ArgumentParser.add_argument)), str(inspect.signature(functools.partial(heapq.merge,1))), inspect.getmro(bool)


@program()
def library_argparse():
    p=argparse.ArgumentParser(prog='x'); p.add_argument('a',type=int); p.add_argument('--b',nargs='*',default=[1]); s=p.add_subparsers(dest='cmd'); q=s.add_parser('go'); q.add_argument('-v',action='store_true')
    return p.format_help(), vars(p.parse_args(['3','--b','x','y'])), vars(p.parse_args(['3','go','-v']))


@program()
def library_tok(): return [tuple(t[:3]) for t in tokenize.generate_tokens(io.StringIO("x = 1 + foo('a')\nif x:\n  y\n").readline)]


@program()
def library_cfg():
    c=configparser.ConfigParser(); c.read_string("[a]\nx=1\ny=%(x)s2\n[b]\nz: t\n"); o=io.StringIO(); c.write(o); return o.getvalue(), c['a']['y'], c.getint('a','x')


@program()
def library_csv(): return csv.Sniffer().sniff("a;b;c\n1;2;3\n4;5;6\n").delimiter, list(csv.DictReader(io.StringIO("a,b\n1,2\n")))


@program()
def library_heapq(): return list(heapq.merge([1,4],[2,3],key=lambda v:v)), heapq.nsmallest(2,[3,1,2],key=lambda v:-v)


@program()
def library_email():
    m=email.message_from_string("From: a\nTo: b\nSubject: =?utf-8?q?h=C3=A9?=\n\nbody"); return m['subject'], m.get_payload(), m.as_string()


@program()
def library_html():
    out=[]
    class H(html.parser.HTMLParser):
        def handle_starttag(self,t,a): out.append((t,a))
        def handle_data(self,d): out.append(d)
    H().feed("<p class='x'>hi<br/></p>&amp;"); return out


@program()
def library_dc():
    @dataclasses.dataclass(order=True)
    class A:
        x:int; y:list=dataclasses.field(default_factory=list,compare=False)
        z: typing.ClassVar[int]=3
    return A(1)<A(2), dataclasses.asdict(A(1,[2])), repr(dataclasses.replace(A(1),x=3)), dataclasses.fields(A)[0].name


@program()
def library_enum():
    class F(enum.Flag):
        A=enum.auto(); B=enum.auto(); C=A|B
    return F.A|F.B, F(3), list(F), F.A in F.C


@program()
def library_ctx():
    log=[]
    @contextlib.contextmanager
    def m(x):
        log.append(x)
        try: yield x
        except KeyError: log.append('k')
        finally: log.append(-x)
    with contextlib.ExitStack() as st:
        st.enter_context(m(1)); st.enter_context(m(2)); st.callback(log.append,'cb')
        raise KeyError
    return log


@program()
def library_copy():
    a=[1,{2:(3,[4])}]; a.append(a[1]); b=copy.deepcopy(a); return b, b[1] is b[2]


@program()
def library_re(): return re.sub(r'(\w+)@(\w+)', lambda m: m[2]+'@'+m[1], 'ab@cd'), re._parser.parse('a(b|c)*d{2,3}?').dump()


@program()
def library_pickle():
    f=io.BytesIO(); pickle._Pickler(f,2).dump({'a':[1,2.5,(None,'x')]}); return f.getvalue(), pickle._Unpickler(io.BytesIO(f.getvalue())).load()


@program()
def library_xml(): return xml.dom.minidom.parseString('<a b="1"><c/>t</a>').toprettyxml()


@program()
def library_ip(): return list(map(str, ipaddress.ip_network('10.0.0.0/29').subnets(1))), str(ipaddress.IPv6Address('::1'))


@program()
def library_unit():
    class T(unittest.TestCase):
        def test_a(self): self.assertEqual(1,1)
        def test_b(self):
            with self.assertRaises(ValueError): int('x')
        def test_c(self): self.assertIn(3,[1])
    r=unittest.TestResult(); unittest.TestLoader().loadTestsFromTestCase(T).run(r); return r.testsRun,len(r.failures),len(r.errors)


@program()
def library_collections():
    C=collections.Counter('aab'); N=collections.namedtuple('N','a b',defaults=[3]); ch=collections.ChainMap({'a':1},{'b':2}); o=collections.OrderedDict(a=1)
    return C.most_common(1), C+C, N(1)._asdict(), dict(ch), o, collections.UserList([1])+[2]


@program()
def library_min(): r=scipy.optimize.minimize(lambda x:(x[0]-1)**2+(x[1]-2)**4,[0.,0.],method='BFGS'); return r.x.round(6), r.nit, r.success


@program()
def library_nm(): r=scipy.optimize.minimize(lambda x:(x[0]-1)**2+abs(x[1]),[0.,1.],method='Nelder-Mead'); return r.x, r.nit


@program()
def library_ode(): s=scipy.integrate.solve_ivp(lambda t,y:[-y[0],y[0]],(0,1),[1.,0.],rtol=1e-6); return s.y[:,-1], s.nfev


@program()
def library_interp(): f=scipy.interpolate.CubicSpline([0,1,2,3.],[1,2,0,1.]); return f(0.5), f(1.5,1), scipy.interpolate.interp1d([0,1],[2,3.])(0.3), scipy.interpolate.PchipInterpolator([0,1,2.],[0,1,4.])(.5)


@program()
def library_stats(): return scipy.stats.norm.pdf(0.3), scipy.stats.norm(1,2).cdf(0.5), scipy.stats.t.ppf(.3,4), tuple(scipy.stats.ttest_ind([1,2,3.],[2,3,5.])), scipy.stats.skew([1,2,5.]), scipy.stats.gamma.logpdf(2,3)


@program()
def library_signal(): b,a=scipy.signal.butter(3,0.2); return b,a,scipy.signal.lfilter(b,a,np.ones(5)), scipy.signal.convolve([1,2,3.],[1,1.]), scipy.signal.savgol_filter(np.arange(9.)**2,5,2), scipy.signal.get_window('hann',5)


@program()
def library_poly(): p=Polynomial([1,2,3.]); return p(2.), p.deriv().coef, (p*p).coef, P.polyroots([-1,0,1.]), p.integ().coef, str(p)


@program()
def library_np(): return np.array2string(np.arange(12.).reshape(3,4)/7), repr(np.arange(3)), np.einsum('ij,jk->ik',np.eye(2),np.ones((2,2)),optimize=True), np.pad([1,2],2,mode='reflect'), np.meshgrid([1,2],[3]), np.block([[np.eye(1),np.zeros((1,1))]]), np.r_[1:3,5], np.vectorize(lambda a,b:a+b)([1,2],3), np.piecewise(np.arange(3.),[np.arange(3)>1],[lambda v:v*2,0])


@program()
def library_ma(): m=np.ma.array([1,2,3],mask=[0,1,0]); return m.sum(), m.mean(), str(m+1), m.filled(9)
