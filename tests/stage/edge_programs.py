"""Corners of the language: scopes, orders of evaluation, generators, classes, exceptions."""

# ruff: noqa
# isort: skip_file

import functools

import numpy as np

from comparison import program


@program()
def global_func():
    global zzz
    def zzz(): return 1
    class Q: pass
    return zzz.__qualname__, zzz(), Q.__qualname__

@program()
def nested_mangle():
    class A:
        def __init__(self): self.__x=1; self._f=lambda: self.__x
        def g(self):
            __loc=5
            def h(__p=2): return __p+__loc+self.__x
            class __B:
                __y=3
                def q(s): return s.__y
            return h(), __B().q(), [__loc for __z in range(2)], [k for k in sorted(locals())]
        def k(self,*,__kw=1): return __kw
        import os as __os
    return A().g(), A()._f(), A().k(), A().k(_A__kw=4), hasattr(A,'_A__os')

@program()
def gen_return_in_loop():
    def g():
        for i in range(3):
            x = yield i
            if x: return 'r'
        else:
            yield 'else'
        return 'end'
    def h():
        r = yield from g()
        print('r',r)
    a=h(); l=[next(a),next(a)]
    try: a.send(1)
    except StopIteration as e: l.append(e.value)
    return l, list(h())

@program()
def gen_stopiteration():
    def g():
        yield 1
        raise StopIteration
    return list(g())

@program()
def gen_lambda():
    f=lambda: (yield 3)
    return list(f())

@program()
def genexp_name():
    g=(x for x in [1]); 
    def gg(): yield
    return g.__name__, gg().__name__, type(g).__name__

@program()
def yield_in_expr():
    def g():
        a = [ (yield 1), (yield 2) ]
        b = (yield 3) and (yield 4)
        c = (yield 5) if (yield 6) else (yield 7)
        d = 1 < (yield 8) < (yield 9)
        e = {(yield 10): (yield 11)}
        f = f"{(yield 12)}"
        h = print((yield 13), sep=(yield 14))
        x = y = yield
        print(a,b,c,d,e,f)
    it=g(); out=[next(it)]
    try:
        for i in range(30): out.append(it.send(i%5+1))
    except StopIteration: pass
    return out

@program()
def try_in_gen_named():
    def g():
        try:
            yield 1
            1/0
        except ZeroDivisionError as e:
            yield str(e)
        try: e
        except UnboundLocalError as q: yield str(q)
    return list(g())

@program()
def nonlocal_handler():
    e=None
    def f():
        nonlocal e
        try: 1/0
        except ZeroDivisionError as e: print(repr(e))
    f()
    try: return e
    except NameError as x: return str(x)

@program()
def comp_with_class():
    class A:
        xs=[1,2]
        ys=[x*2 for x in xs]
        z = {k:v for k,v in zip(xs,ys)}
        g = list(x for x in xs)
        def f(self): return [s for s in self.xs]
    return A.ys, A.z, A.g, A().f()

@program()
def class_deco_and_kw():
    def deco(c): c.tag='d'; return c
    @deco
    class A(*(object,), **{}): pass
    class M(type):
        @classmethod
        def __prepare__(m,n,b,**k): return {'pre':k}
        def __new__(m,n,b,ns,**k): return super().__new__(m,n,b,dict(ns))
    class B(A, metaclass=M, q=1): 
        y = pre['q']
    return A.tag, B.y, B.pre

@program()
def class_nonlocal():
    n=0
    class A:
        nonlocal n
        n=5
        m=n
    return n, A.m, 'n' in vars(A)

@program()
def class_global():
    class A:
        global gg_
        gg_=7
    return gg_, 'gg_' in vars(A)

@program()
def class_del():
    class A:
        x=1
        y=x
        del x
        try: x
        except NameError as e: print(e)
    return hasattr(A,'x')

@program()
def superless():
    class A:
        def f(self): return 'A'
    class B(A):
        def f(self):
            def g(): return super(B,self).f()
            return g()+ (lambda: __class__.__name__)()
        f2=lambda self: super().f()
    return B().f(), B().f2()

@program()
def starred_misc():
    a,*b=*[1,2],3
    print(*[1],*(2,),sep='-',**{'end':'!\n'})
    for x,*y in [(1,2,3),(4,)]: print(x,y)
    return a,b,[*range(2),*'ab'],{**{'a':1},'b':2,**dict(a=3)}

@program()
def kwarg_order():
    def f(**k): return list(k.items())
    return f(b=1,**{'a':2},c=3), f(**{'x':1},**{'y':2})

@program()
def kw_conflict():
    def f(a,**k): return a,k
    return f(1,**{'a':2})

@program()
def slots_attr():
    f=lambda x, /, y, *, z: (x,y,z)
    return f(1,2,z=3), f(1,y=2,z=3)

@program()
def posonly_error(): 
    f=lambda x, /: x
    return f(x=1)

@program()
def del_in_loop():
    out=[]
    for i in range(3):
        x=i
        out.append(x)
        del x
        try: x
        except UnboundLocalError as e: out.append(str(e))
    return out

@program()
def nested_func_unbound():
    def g():
        print(v)
        v=1
    g()

@program()
def wloop():
    x=0
    while (x:=x+1)<5:
        if x==2: continue
        if x==4: break
    else: x='else'
    return x

@program()
def try_finally_continue():
    out=[]
    for i in range(4):
        try:
            if i==1: continue
            if i==2: raise KeyError(i)
            out.append(i)
        except KeyError: 
            continue
        finally:
            out.append('f')
            if i==2: break
    return out

@program()
def nested_try_raise():
    try:
        try: raise KeyError(1)
        finally: raise ValueError(2)
    except ValueError as e: return repr(e), repr(e.__context__)

@program()
def exc_var_shadow():
    e=5
    try: 1/0
    except ZeroDivisionError as e: pass
    return e

@program()
def sys_exc():
    import sys
    try: 1/0
    except: a=sys.exc_info()[0].__name__
    return a, sys.exc_info()

@program()
def with_exc():
    import contextlib
    with contextlib.suppress(ZeroDivisionError), np.errstate(all='raise') as e:
        1/0
    with contextlib.suppress(KeyError):
        {}['a']; print('no')
    return e

@program()
def with_none_exit():
    class C:
        def __enter__(self): return 1
        def __exit__(self,*a): print(a[0]); return 1
    for i in range(2):
        with C() as x:
            raise KeyError
        print('after',x)
    def f():
        with C():
            return 'ret'
    return f()

@program()
def with_attr_missing():
    class C:
        def __enter__(self): pass
    with C(): pass

@program()
def lambda_nest():
    return (lambda f: (lambda x: f(lambda v: x(x)(v)))(lambda x: f(lambda v: x(x)(v))))(lambda r: lambda n: 1 if n<2 else n*r(n-1))(6)

@program()
def match_more():
    out=[]
    for v in [{'a':1,'b':{'c':[1,2,3]}}, ('x',1), 'x', b'x', [1,[2,[3]]], {'t':None}, range(3), 1.0, True, np.array([1,2]), {1,2}]:
        match v:
            case {'a': int(q), 'b': {'c': [x,*_,z]}}: out.append((q,x,z))
            case ('x'|'y' as s, n) if n>0: out.append((s,n))
            case 'x' | b'x': out.append('x')
            case [a,[b,[c]]]: out.append((a,b,c))
            case {'t': None}: out.append('none')
            case range(start=0): out.append('range')
            case bool(b): out.append(b)
            case 1: out.append('one')
            case np.ndarray(shape=(n,)): out.append(('arr',n))
            case []: out.append('e')
            case _: out.append('other')
    return out, a, b

@program()
def match_no_bind_on_fail():
    try:
        match [1,2]:
            case [a,3]: pass
        return a
    except UnboundLocalError as e: return str(e)

@program()
def eval_closure():
    x=3
    def f(): 
        y=x
        return eval('x+y')
    return f()

@program()
def locals_comp():
    a=1
    def f(q):
        b=a
        return sorted(locals())
    return f(1)

@program()
def imports_rel():
    from . import nothing

@program()
def type_alias_like():
    x: list[int] = [1]
    y: 'bad name' = 2
    (z): int = 3
    return x,y,z

@program()
def chained_cmp_side():
    l=[]
    def f(x): l.append(x); return x
    r = f(3)<f(2)<f(1), f(1)<f(2)<f(3)<f(0)<f(9)
    return r,l

@program()
def aug_order():
    l=[]
    def f(x): l.append(x); return x
    d={0:1}; a=[d]
    a[f(0)][f(0)] += f(5)
    x=1
    def g():
        nonlocal x
        x=100
        return 1
    x += g()
    return l,d,x

@program()
def assign_order():
    l=[]
    class D(dict):
        def __setitem__(s,k,v): l.append(('set',k)); dict.__setitem__(s,k,v)
        def __getitem__(s,k): l.append(('get',k)); return dict.__getitem__(s,k)
    d=D()
    def k(x): l.append(x); return x
    d[k(1)],d[k(2)] = k(3),k(4)
    (d[k(5)],[d[k(6)],*d2]) = k(7),[k(8),k(9)]
    d[k(1)] = d[k(2)]
    i=0
    i, d[i] = 1, 'v'
    return l, dict(d), d2

@program()
def del_order():
    l=[]
    class D(dict):
        def __delitem__(s,k): l.append(k); dict.__delitem__(s,k)
    d=D(a=1,b=2)
    del d['a'],(d['b'])
    return l

@program()
def func_doc():
    def f():
        'doc'
    class A:
        'cdoc'
        x=1
        def m(self):
            """m doc"""
    return f.__doc__,A.__doc__,A.m.__doc__,A.m.__qualname__, (lambda:0).__qualname__

@program()
def recursion_error():
    def f(n): return f(n+1)
    try: f(0)
    except RecursionError as e: return type(e).__name__

@program()
def big_tuple_target():
    (a,(b,(c,*d)),*e)=1,(2,(3,4,5)),6,7
    return a,b,c,d,e

@program()
def conditional_def():
    for k in (0,1):
        if k:
            def f(): return 'one'
        else:
            def f(): return 'zero'
        print(f())

@program()
def try_else_finally_ret():
    def f(k):
        try:
            if k==1: return 'a'
            if k==2: raise KeyError
        except KeyError: return 'b'
        else: return 'c'
        finally: print('fin',k)
    return f(0),f(1),f(2)

@program()
def long_string_ops():
    s=''
    for a in 'ab':
        for b in '12':
            s+=f'{a}{b:>{len(a)+2}}|{a!r}{{}}'
    return s

@program()
def iter_sentinel():
    it=iter([1,2,3]).__next__
    return list(iter(it,3)), [*zip(*[iter([1,2,3,4])]*2)]

@program()
def bool_raises():
    return np.array([1,2]) and 3

@program()
def not_raises(): return not np.array([1,2])

@program()
def setattr_ndarray():
    x=np.arange(6.); x.shape=(2,3); x.flat=1; return x

@program()
def empty_tuple_index():
    a=np.array(3.0); a[()]=5; a[...]+=1; return a[()], a[...], a

@program()
def return_walrus_in_comp():
    return any((last:=v)>2 for v in [1,3,5]), last

@program()
def set_comp_nested(): return {x for x in {y for y in range(3)}}, {(lambda: k)() for k in range(2)}

@program()
def fn_attr_counter():
    def f():
        f.n+=1
        return f.n
    f.n=0
    f();return f(), f.__dict__

@program()
def wraps_meta():
    def d(f):
        @functools.wraps(f)
        def w(*a,**k): return f(*a,**k)
        return w
    @d
    def foo(a,b=2): 'foodoc'; return a+b
    import inspect
    return foo.__name__, foo.__doc__, str(inspect.signature(foo)), foo(1)

@program()
def prop_cached():
    class A:
        @functools.cached_property
        def v(self): print('once'); return 3
        @functools.lru_cache
        def w(self): print('w'); return 4
    a=A(); return a.v,a.v,a.w(),a.w()


@program()
def match_in_class_body():
    v = (1, [2, 3])

    class A:
        match v:
            case (a, [b, *c]) if a:
                d = a + b
            case _:
                d = None

    return A.a, A.b, A.c, A.d, sorted(k for k in vars(A) if not k.startswith("__"))
